#!/bin/sh
# Stands in for a coding agent in these examples: the prompt comes on standard input, what it prints is its text.
# It says the wrong thing at first, and the right one once its prompt names what was found.
prompt=$(cat)
answer() { printf 'DEVFLOW_RESULT: {"status":"success","summary":"%s"%s}\n' "$1" "$2"; }

if [ "$DEVFLOW_MODE" = review ]; then
  said=$(sh greet.sh)
  case $said in
    'Hello, world!') answer 'it greets the world' ',"verdict":"pass"' ;;
    *) answer 'looked at greet.sh' ',"verdict":"gaps","reason":"it says only: '"$said"'"' ;;
  esac
  exit
fi

case $prompt in
  *README.md*)
    echo '# Greetings' >README.md
    git add README.md
    git commit --quiet --message 'Describe it'
    answer 'README.md describes it'
    exit
    ;;
  *'## What'*) text='Hello, world!' ;; # what was found, what happened before, what a person said
  *) text='Hello' ;;
esac
echo "echo '$text'" >greet.sh
git add greet.sh
git commit --quiet --message "Say: $text"
answer "greet.sh says: $text"
