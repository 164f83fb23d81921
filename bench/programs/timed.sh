# Runs a program and notes in $1 the time of its start and its end. $2 names it; then the command.
log=$1 name=$2
shift 2
echo "start $name $(date +%s%N)" >>"$log"
"$@"
status=$?
echo "end $name $(date +%s%N)" >>"$log"
exit "$status"
