# What a person would write by hand: worktree add, agent, worktree remove.
# $1 repository, $2 directory for worktrees, $3 name, $4 agent, $5 keep or remove, $6 lock file or nothing
set -e
worktree=$2/$3
git_change() { if [ -n "$lock" ]; then flock "$lock" git "$@"; else git "$@"; fi; }
lock=$6
cd "$1"
git_change worktree add --quiet -b "script/$3" "$worktree" main
(cd "$worktree" && echo 'do it' | sh "$4" "$3" >"$worktree.log" 2>&1)
[ "$5" = keep ] || git_change worktree remove "$worktree"
