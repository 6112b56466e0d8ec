#!/bin/sh
# Starts Postgres. A first start that was cut off leaves a directory that looks whole and lacks the logins: the next one
# begins anew. postgres-logins.sh ends the first start, so a database that ever answered is never removed.
set -eu
begun=${PGDATA%/*/*}/first-start
if [ -e "$begun" ]; then
  echo "the first start was cut off: it begins anew" >&2
  rm -rf "$PGDATA"
elif [ -z "$(ls -A "$PGDATA" 2>/dev/null)" ]; then
  : > "$begun"
  sync
fi
exec docker-entrypoint.sh "$@"
