#!/usr/bin/env bash
# What a person does by HTTP alone, from a new task to its recovery after Redis was away. `curl` asks, `jq` reads. By the environment:
# URL and TOKEN of the API; NAME, what its tasks' names begin with; METRICS, where it answers /metrics; REDIS_PID, the process of Redis; FOLDER, where the task looks for a file.
set -euo pipefail

say() { echo "story: $*"; }
ask() { # METHOD PATH [BODY] [more of curl]: the answer, or an end with what was refused.
  local method=$1 path=$2 body=${3:-}
  shift $(($# < 3 ? $# : 3))
  curl -sS --fail-with-body -X "$method" -H "Authorization: Bearer $TOKEN" ${body:+--json "$body"} "$@" "$URL$path"
}
refusal() { ask "$@" 2>/dev/null | jq -r .code || true; } # the code with which it is refused
is() { [ "$2" = "$3" ] || { say "$1 is $2, not $3" >&2; exit 1; }; }
# Asks until the answer is so, for half a minute.
until_is() { # PATH FILTER WANTED
  local got=
  for _ in $(seq 150); do
    got=$(ask GET "$1" | jq -r "$2")
    [ "$got" = "$3" ] && return
    sleep 0.2
  done
  say "$1: $2 is $got, not $3" >&2
  exit 1
}

say create
ready="$FOLDER/network-is-back"
task=$(jq -n --arg name "$NAME" --arg ready "$ready" '{name: "\($name)/report", labels: {team: $name},
  handler: {type: "shell", command: "for part in 1 2 3; do echo part $part; sleep 0.1; done; test -e \($ready)"}}')
id=$(ask POST /v1/tasks "$task" | jq -r .id)

say preview
change='{"schedule": {"kind": "cron", "expression": "30 2 * * *", "timeZone": "Europe/Berlin"}}'
preview=$(ask POST "/v1/tasks/$id/preview?count=3" "$change")
is meaning "$(jq -r .meaning <<<"$preview")" 'at 02:30 every day'
is 'fires after' "$(jq '.after | length' <<<"$preview")" 3
is 'nights in which the clock changes' "$(jq '.effect.clockChanges | length > 0' <<<"$preview")" true

say save what was previewed
next=$(jq -r .effect.next <<<"$preview")
version=$(jq -r .version <<<"$preview")
is 'another first fire' "$(refusal PATCH "/v1/tasks/$id?next=2126-01-01T00:00:00Z" "$change")" preview_outdated
saved=$(ask PATCH "/v1/tasks/$id?next=$next" "$change" -H "If-Match: \"$version\"")
is version "$(jq -r .version <<<"$saved")" $((version + 1))

say trigger once
run=$(ask POST "/v1/tasks/$id/trigger" '{"reason": "story"}' -H "Idempotency-Key: story-$id" | jq -r '.runs[0].id')
again=$(ask POST "/v1/tasks/$id/trigger" '{"reason": "story"}' -H "Idempotency-Key: story-$id" | jq -r '.runs[0].id')
is 'the run of the same key' "$again" "$run"

say follow its log until it fails
log=$(ask GET "/v1/runs/$run/log?follow=true")
is log "$log" $'part 1\npart 2\npart 3'
is state "$(ask GET "/v1/runs/$run/wait" | jq -r .state)" failed

say find the group of the failure, and run it again
group=$(ask GET "/v1/errors?task=$NAME/report" | jq -r '.items[0]')
is 'failures of the group' "$(jq -r .count <<<"$group")" 1
touch "$ready"
request=$(ask POST "/v1/errors/$(jq -r .fingerprint <<<"$group")/redrive" '{"reason": "the network is back"}' | jq -r .id)
until_is "/v1/bulk/$request" .state 'done'
is 'runs that run again' "$(ask GET "/v1/bulk/$request" | jq -r .counts.done)" 1
until_is "/v1/runs/counts?query=task:$NAME/report" .states.succeeded.count 1

say rerun by hand
rerun=$(ask POST "/v1/runs/$run/rerun" '{"reason": "once more"}' | jq -r .id)
is 'the retried run' "$(ask GET "/v1/runs/$rerun/wait" | jq -r .state)" succeeded

say pause and resume
ask POST "/v1/tasks/$id/pause" '{"reason": "moving"}' >/dev/null
is state "$(ask GET "/v1/tasks?name=$NAME/report" | jq -r '.items[0].state')" paused
ask POST "/v1/tasks/$id/resume" '{}' >/dev/null

say recover after Redis was away
dense=$(jq -n --arg name "$NAME" '{name: "\($name)/dense", schedule: {kind: "every", everyMs: 2000}, catchUp: "ask", handler: {type: "shell", command: "true"}}')
other=$(ask POST /v1/tasks "$dense" | jq -r .id)
until_is "/v1/runs/counts?query=task:$NAME/dense" '.states.succeeded.count >= 1' true
kill -STOP "$REDIS_PID"
until_is "/v1/runs?query=task:$NAME/dense&limit=3" '[.items[] | select(.state == "queued" or .state == "planned" or .state == "held")] | length' 3
kill -CONT "$REDIS_PID"
until_is "/v1/recovery?task=$NAME/dense" '.items[0].held >= 2' true
ask POST "/v1/tasks/$other/pause" '{}' >/dev/null
held=$(ask GET "/v1/recovery/runs?task=$NAME/dense&limit=2")
drop=$(jq '{action: {action: "drop_held", runs: [.items[0].id]}}' <<<"$held")
go=$(jq '{action: {action: "run_held", runs: [.items[1].id]}}' <<<"$held")
for act in "$drop" "$go"; do
  request=$(ask POST /v1/bulk "$act" | jq -r .id)
  until_is "/v1/bulk/$request" .state 'done'
done
is dropped "$(ask GET "/v1/runs/$(jq -r '.items[0].id' <<<"$held")" | jq -r .state)" missed
is 'the one that goes on' "$(ask GET "/v1/runs/$(jq -r '.items[1].id' <<<"$held")/wait" | jq -r .state)" succeeded

say forecast
is 'starts in a week' "$(ask GET "/v1/forecast?days=7&label=team=$NAME" | jq .runs)" 7

say calendar
reader=$(ask POST /v1/tokens "$(jq -n --arg name "$NAME" '{name: "\($name)-calendar", role: "viewer", scope: "team=\($name)"}')" | jq -r .token)
is events "$(curl -sS --fail "$URL/v1/calendar.ics?days=7&token=$reader" | grep -c '^BEGIN:VEVENT')" 7

say audit
actions=$(ask GET "/v1/audit?subject=task:$NAME/report" | jq -r '[.items[].action] | reverse | .[-5:] | join(" ")')
is 'what was done to the task' "$actions" 'save save trigger pause resume'

say metrics
curl -sS --fail "$METRICS" | grep '^escapement_' >/dev/null
say 'the end'
