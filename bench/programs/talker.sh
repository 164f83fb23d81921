# An agent that commits nothing: it answers, and notes the time of start and end in $2.
echo "start $1 $(date +%s%N)" >>"$2"
echo 'DEVFLOW_RESULT: {"status":"success","summary":"done"}'
echo "end $1 $(date +%s%N)" >>"$2"
