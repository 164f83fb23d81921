# The hand-written script, many at once: $1 to $4 and $6 as in one-run.sh, $5 how many; all wait for all.
for number in $(seq "$5"); do
  sh "${0%/*}/one-run.sh" "$1" "$2" "$3-$number" "$4" remove "$6" || echo "$number" >>"$2/failed" &
done
wait
