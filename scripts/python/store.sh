# shellcheck shell=bash
# A server that speaks S3, of the environment `s3`; it ends with the script. Source it after scripts/python/lib.sh.

: "${root_dir:?}" "${python_dir:?}" "${log:?}"

# Starts it, with what it says in the folder "$1", and makes a bucket "$2". Its URL is in `store` then, and its
# process is the last of `running`. No settings of this user are used from then on.
start_store() {
    local bin="$root_dir/$python_dir/s3/bin"
    export HOME="$1" AWS_CONFIG_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true AWS_DEFAULT_REGION=us-east-1
    export AWS_ACCESS_KEY_ID="${AWS_ACCESS_KEY_ID:-testing}" AWS_SECRET_ACCESS_KEY="${AWS_SECRET_ACCESS_KEY:-testing}"
    store="${WHYPAUSE_S3:-}"
    if [ -z "$store" ]; then
        scripts/with-parent.sh "$bin/python" scripts/python/s3_server.py >"$1/server" 2>>"$log" </dev/null &
        running+=("$!")
        for _ in $(seq 600); do
            store="$(sed -n 's/^listening on //p' "$1/server")"
            [ -z "$store" ] || break
            sleep 0.1
        done
        [ -n "$store" ] || fail "the server does not listen" "all output is in $log"
        "$bin/aws" s3 mb "s3://$2" --endpoint-url "$store" >>"$log"
    fi
    say "the store is $store"
}
