# The fake agent: one commit of one file that nobody else has, then the answer.
# $1 names the file; $2, where it is given, is a file to note the time of start and end in.
[ -z "$2" ] || echo "start $1 $(date +%s%N)" >>"$2"
cat >/dev/null
echo "$1" >"work-$1.txt"
git add -A
git commit --quiet -m "work of $1"
echo 'DEVFLOW_RESULT: {"status":"success","summary":"done"}'
[ -z "$2" ] || echo "end $1 $(date +%s%N)" >>"$2"
