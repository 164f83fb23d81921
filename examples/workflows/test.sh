# The test of the repository that the examples are tried in.
said=$(sh greet.sh)
[ "$said" = 'Hello, world!' ] || { echo "expected: Hello, world! found: $said"; exit 1; }
