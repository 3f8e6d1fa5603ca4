#!/bin/sh
# Starts Redis with one user, who may use the keys of one namespace and none of the commands that are for administrators.
# docs/how-to/run-a-fleet.md has the rules. More arguments go to redis-server.
set -eu
umask 077
: "${REDIS_PASSWORD:?is not set: npm run init}"
namespace=${ESCAPEMENT_NAMESPACE:-default}
acl=${REDIS_ACL_FILE:-/run/redis/users.acl}
hash=$(printf %s "$REDIS_PASSWORD" | sha256sum | cut -d ' ' -f 1)
cat > "$acl" <<END
user default off
user escapement on #$hash resetchannels ~esc:{${namespace}}:* ~esc:{${namespace}:* +@all -@admin -@dangerous -function -script -randomkey -client|tracking +client|unblock +script|load +script|exists +info
END
unset REDIS_PASSWORD hash
# What a crash of Redis loses is added again from Postgres; what it evicts would start late.
exec redis-server --aclfile "$acl" --appendonly yes --appendfsync everysec --maxmemory-policy noeviction "$@"
