-- Who may do what in the database. `escapement migrate --roles` applies this file, and so does each later `escapement migrate`. By hand,
-- after `escapement migrate`, as a superuser, or as the owner of the tables with CREATEROLE, as often as you like:
--
--   psql -1 -v ON_ERROR_STOP=1 -f prisma/roles.sql "postgres://..."
--
-- Roles belong to the whole server. Where several databases on it shall not share them, give each a prefix of its own: --role-prefix shop_,
-- or by hand: sed 's/escapement_/shop_/g' prisma/roles.sql | psql -1 -v ON_ERROR_STOP=1 "postgres://..."
--
-- Nobody signs in as one of these roles. Programs and people have users of their own, which get them:
--
--   CREATE ROLE shop_worker_1 LOGIN PASSWORD '...' IN ROLE escapement_worker;
--
--   escapement_owner      has schema and tables: `escapement migrate`, and nobody else
--   escapement_scheduler  schedulers
--   escapement_worker     workers
--   escapement_api        what acts for people: the command line, @escapement/client
--   escapement_reader     people and dashboards that look, by SQL; no payloads, definitions, outputs, logs, states
--
-- A table or function that is not in this file is nobody's but the owner's; packages/store/test/roles.test.ts wants each to be in it.
-- docs/reference/database-roles.md shows the rights as a table.

------------------------------------------------------------------------------------------------------------------------
-- The roles, and whose the tables are

DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY['escapement_owner', 'escapement_scheduler', 'escapement_worker', 'escapement_api', 'escapement_reader'] LOOP
    IF to_regrole(quote_ident(v_role)) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', v_role);
        -- Who is no superuser gives nothing to a role that it is not in.
        IF v_role = 'escapement_owner' AND NOT (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
          EXECUTE format('GRANT %I TO CURRENT_USER', v_role);
        END IF;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- for another database, at this very moment
      END;
    END IF;
  END LOOP;
END $$;

DO $$
DECLARE
  v_schema text := current_schema();
  v_tables text[] := ARRAY['_prisma_migrations', '_sql_functions', 'access_session', 'access_token', 'access_user', 'alert', 'alert_fact', 'alert_silence', 'alert_watch', 'alerting', 'any_run', 'attempt', 'audit', 'backfill', 'batch',
    'batch_note', 'batch_page', 'calendar_version', 'change', 'change_writer', 'cluster_lock', 'cron_cutover', 'cron_report', 'delivery', 'deployment', 'drift', 'error_stand', 'failure', 'fleet_freeze', 'followers_outbox', 'monitor', 'monitor_ping', 'key_slot', 'ledger_origin', 'pool',
    'process', 'queue_watch', 'rate_bucket', 'rate_start', 'rate_wait', 'request', 'roll_up', 'run', 'run_log_chunk', 'run_mark', 'sign_in_code', 'sign_in_count', 'occurrence_workers', 'task', 'task_change',
    'task_duration', 'task_hour', 'task_hour_stale', 'task_label', 'task_pause', 'task_plan', 'task_queue', 'task_state', 'task_version', 'trigger_key', 'work_item', 'work_list', 'work_list_fill', 'zone_version'];
  v_functions text[] := ARRAY(SELECT f.name FROM _sql_functions f);
  v_others text := 'PUBLIC, escapement_scheduler, escapement_worker, escapement_api, escapement_reader';
  v_role text;
  v_one record;
BEGIN
  IF EXISTS (SELECT FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
    WHERE n.nspname = v_schema AND a.grantee = 0 AND a.privilege_type = 'CREATE') THEN
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', v_schema);
  END IF;
  IF NOT has_schema_privilege('escapement_owner', v_schema, 'USAGE') OR NOT has_schema_privilege('escapement_owner', v_schema, 'CREATE') THEN
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO escapement_owner', v_schema);
  END IF;
  FOREACH v_role IN ARRAY ARRAY['escapement_scheduler', 'escapement_worker', 'escapement_api', 'escapement_reader'] LOOP
    IF NOT has_schema_privilege(v_role, v_schema, 'USAGE') THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', v_schema, v_role);
    END IF;
  END LOOP;

  FOR v_one IN
    SELECT 'TABLE' AS kind, c.oid::regclass::text AS name, c.relowner AS owner FROM pg_class c
    WHERE c.relnamespace = quote_ident(v_schema)::regnamespace AND (c.relname = ANY (v_tables) OR c.relname ~ '^(run|attempt|task_hour|run_log_chunk)_(old|p[0-9]{8})$')
      AND c.relkind IN ('r', 'p', 'v')
    UNION ALL SELECT 'FUNCTION', p.oid::regprocedure::text, p.proowner FROM pg_proc p
    WHERE p.pronamespace = quote_ident(v_schema)::regnamespace AND p.proname = ANY (v_functions)
  LOOP
    IF v_one.owner <> 'escapement_owner'::regrole THEN
      EXECUTE format('ALTER %s %s OWNER TO escapement_owner', v_one.kind, v_one.name);
    END IF;
    EXECUTE format('REVOKE ALL ON %s %s FROM %s', v_one.kind, v_one.name, v_others);
  END LOOP;
END $$;

------------------------------------------------------------------------------------------------------------------------
-- Tables

GRANT SELECT ON _prisma_migrations, _sql_functions TO escapement_scheduler, escapement_worker, escapement_api;

-- What there is to run. A worker saves the tasks of its code, and no others: guard_task().
GRANT SELECT, INSERT, UPDATE ON task, task_plan TO escapement_scheduler, escapement_worker, escapement_api;
GRANT SELECT, INSERT, UPDATE (ended_at) ON task_version TO escapement_scheduler, escapement_worker, escapement_api;
-- Written by the owner (a trigger): by labels it is decided who sees a task.
GRANT SELECT ON task_label TO escapement_scheduler, escapement_worker, escapement_api;
GRANT SELECT ON task_queue TO escapement_scheduler, escapement_worker, escapement_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON task_pause TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON task_pause TO escapement_worker, escapement_api;
GRANT SELECT ON fleet_freeze TO escapement_scheduler, escapement_worker;
GRANT SELECT, INSERT, UPDATE ON fleet_freeze TO escapement_api;
GRANT SELECT, UPDATE, DELETE ON task_change TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE, DELETE ON task_change TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON task_state TO escapement_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON task_state TO escapement_api;
GRANT SELECT ON calendar_version TO escapement_scheduler, escapement_worker;
GRANT SELECT, INSERT, UPDATE ON zone_version TO escapement_scheduler;
GRANT SELECT ON zone_version TO escapement_worker, escapement_api;
GRANT SELECT, INSERT, UPDATE ON calendar_version TO escapement_api;
GRANT SELECT, DELETE ON deployment TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON deployment TO escapement_worker;
GRANT SELECT ON deployment TO escapement_api;

-- The ledger. A run that has ended cannot be changed by anybody: run_terminal_is_final. Only the pruner of a scheduler deletes.
GRANT SELECT, INSERT, UPDATE, DELETE ON run TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON run TO escapement_worker, escapement_api;
GRANT SELECT ON any_run TO escapement_scheduler, escapement_worker, escapement_api;
GRANT SELECT, INSERT, DELETE ON attempt TO escapement_scheduler;
GRANT INSERT ON attempt TO escapement_worker;
GRANT SELECT, INSERT ON attempt TO escapement_api;
-- Notices have the end of the log in them.
GRANT SELECT, DELETE ON run_log_chunk TO escapement_scheduler;
GRANT SELECT (run_id, attempt, seq, written_at), INSERT ON run_log_chunk TO escapement_worker;
GRANT SELECT ON run_log_chunk TO escapement_api;
-- Roll-ups. Whoever ends a run leaves a note; schedulers roll up. Workers verify them, as they do the ledger.
GRANT SELECT, INSERT, UPDATE, DELETE ON task_hour TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON task_duration TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON roll_up TO escapement_scheduler;
GRANT SELECT, INSERT, DELETE ON task_hour_stale TO escapement_scheduler;
GRANT SELECT, INSERT ON task_hour_stale TO escapement_worker;
GRANT SELECT ON task_hour, roll_up TO escapement_worker;
GRANT SELECT, INSERT ON task_hour_stale TO escapement_api;
GRANT SELECT ON task_hour, task_duration, roll_up TO escapement_api;
-- Failures. Whoever ends a run notes that it has failed; schedulers say what is the same.
GRANT SELECT, INSERT, UPDATE (fingerprint, deployment_id), DELETE ON failure TO escapement_scheduler;
GRANT INSERT ON failure TO escapement_worker;
GRANT SELECT, INSERT ON failure TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON key_slot TO escapement_scheduler, escapement_worker;
GRANT SELECT, UPDATE ON key_slot TO escapement_api;
GRANT SELECT, UPDATE, DELETE ON rate_bucket TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON rate_bucket TO escapement_worker;
GRANT SELECT, UPDATE ON rate_bucket TO escapement_api;
GRANT SELECT, DELETE ON rate_start TO escapement_scheduler;
GRANT SELECT, INSERT, DELETE ON rate_start TO escapement_worker;
GRANT SELECT ON rate_start TO escapement_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_wait TO escapement_scheduler, escapement_worker, escapement_api;

-- What follows runs, and runs of many.
GRANT SELECT, INSERT, UPDATE, DELETE ON followers_outbox TO escapement_scheduler, escapement_worker;
GRANT SELECT, INSERT, UPDATE (given_up_at, error), DELETE ON followers_outbox TO escapement_api;
-- Alerts. Whoever ends a run notes it for the rules; schedulers judge and tell.
GRANT SELECT, DELETE ON alerting TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON alerting TO escapement_api;
GRANT SELECT, INSERT, DELETE ON alert_fact TO escapement_scheduler;
GRANT INSERT ON alert_fact TO escapement_worker, escapement_api;
-- Whether a gap that a worker finds no more was told of.
GRANT SELECT (namespace, kind) ON alert_fact TO escapement_worker;
GRANT SELECT (namespace, kind, state) ON alert TO escapement_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON alert, delivery, run_mark TO escapement_scheduler;
GRANT SELECT, UPDATE ON alert TO escapement_api;
GRANT SELECT, INSERT, UPDATE (try_at) ON delivery TO escapement_api;
GRANT SELECT ON run_mark TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON alert_watch TO escapement_scheduler;
GRANT SELECT, UPDATE (heard_at) ON alert_watch TO escapement_api;
GRANT SELECT, DELETE ON alert_silence TO escapement_scheduler;
GRANT SELECT (namespace, name, expires_at, revoked_at) ON access_token TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON alert_silence TO escapement_api;
-- Monitors. The api takes pings; schedulers judge, tell what came with a failure, and delete pings that are old. Nobody else has a use for the hashes of URLs.
GRANT SELECT, INSERT, UPDATE, DELETE ON monitor TO escapement_api;
GRANT SELECT, INSERT, DELETE ON monitor_ping TO escapement_api;
GRANT SELECT (namespace, id, name, definition, last_ping_at, last_kind, last_success_at, failed_at, exit_status, running, due_at, trouble_at,
  unheard_from, unheard_until, paused_at, paused_until) ON monitor TO escapement_scheduler;
GRANT SELECT (namespace, monitor_id, seq, at, kind, body), DELETE ON monitor_ping TO escapement_scheduler;
GRANT SELECT, UPDATE ON backfill TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON backfill TO escapement_api;
GRANT SELECT, UPDATE, DELETE ON batch TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON batch TO escapement_worker;
GRANT SELECT, UPDATE ON batch TO escapement_api;
GRANT SELECT, DELETE ON batch_page TO escapement_scheduler;
GRANT SELECT, INSERT, DELETE ON batch_page TO escapement_worker;
GRANT SELECT ON batch_page TO escapement_api;
GRANT SELECT, INSERT, DELETE ON batch_note TO escapement_scheduler, escapement_worker;
GRANT SELECT, INSERT ON batch_note TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON work_list TO escapement_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_list TO escapement_api;
GRANT SELECT, UPDATE, DELETE ON work_item TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE, DELETE ON work_item TO escapement_worker, escapement_api;
GRANT SELECT, DELETE ON work_list_fill TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON work_list_fill TO escapement_worker;

-- The fleet.
GRANT SELECT ON pool TO escapement_scheduler, escapement_worker;
GRANT SELECT, INSERT, UPDATE ON pool TO escapement_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON process TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON process TO escapement_worker;
GRANT SELECT, UPDATE (drain_asked_at, drain_asked_by, drain_note) ON process TO escapement_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON occurrence_workers TO escapement_scheduler;
GRANT SELECT ON occurrence_workers TO escapement_worker;
GRANT SELECT, INSERT, UPDATE ON occurrence_workers TO escapement_api;
-- Whoever watches by the API has it told.
GRANT SELECT, INSERT, DELETE ON change TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON error_stand TO escapement_api;
-- What cron did, as hosts have told. Schedulers forget what is old.
GRANT SELECT, INSERT, UPDATE ON cron_report TO escapement_api;
GRANT SELECT (told_at), DELETE ON cron_report TO escapement_scheduler;
-- Who runs a line of a crontab from when on: people ask, and hosts answer.
GRANT SELECT, INSERT, UPDATE ON cron_cutover TO escapement_api;
GRANT SELECT ON cron_cutover TO escapement_scheduler, escapement_worker, escapement_reader;
GRANT SELECT, INSERT ON trigger_key TO escapement_api;
GRANT SELECT, DELETE ON trigger_key TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE ON change_writer TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON cluster_lock TO escapement_scheduler, escapement_worker;
GRANT SELECT ON cluster_lock TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON queue_watch, drift TO escapement_scheduler;
GRANT SELECT ON queue_watch TO escapement_worker;
GRANT SELECT ON queue_watch, drift TO escapement_api;
-- Where the ledger was written. A scheduler writes it down, `escapement restore-check` accepts a copy, workers ask.
GRANT SELECT, INSERT, UPDATE ON ledger_origin TO escapement_scheduler, escapement_api;
GRANT SELECT ON ledger_origin TO escapement_worker;
GRANT SELECT, UPDATE, DELETE ON request TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE (halt, expires_at) ON request TO escapement_api;

-- The audit: everybody adds (a worker in the name of processes: guard_audit()), at the time that Postgres has and under the next number; prune_audit() alone takes away, after a year.
GRANT INSERT (namespace, principal_kind, principal_id, principal_name, principal_address, action, subject, reason, detail, before, after,
  request_id, refused) ON audit TO escapement_scheduler, escapement_worker, escapement_api;
GRANT SELECT ON audit TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON access_token TO escapement_api;
GRANT SELECT, INSERT, UPDATE ON access_session, sign_in_count TO escapement_api;
-- Only who owns the tables makes such a code: `npm run dev` does, for its user.
GRANT SELECT, UPDATE (used_at) ON sign_in_code TO escapement_api;
GRANT SELECT (ends_at), DELETE ON sign_in_code TO escapement_scheduler;
GRANT SELECT (ends_at), DELETE ON access_session TO escapement_scheduler;
GRANT SELECT (since), DELETE ON sign_in_count TO escapement_scheduler;
GRANT SELECT, INSERT, UPDATE, DELETE ON access_user TO escapement_api;

-- Readers: what a viewer may see at the command line.
GRANT SELECT (id, namespace, name, version, schedule, key_template, key_limit, overlap, pool, need, source, plan_epoch, effective_at,
  created_at, updated_at, deleted_at, start_deadline_ms, rules, deployment_id, priority, follows, rate_key, rate_limit, rate_per_ms, former_names) ON task TO escapement_reader;
GRANT SELECT (task_id, version, source, created_by, edited, note, created_at, effective_at, ended_at, follows) ON task_version TO escapement_reader;
GRANT SELECT (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, need, due_at,
  dispatch, attempt, lost, uncounted, slot, fence, worker, begin_id, finish_id, started_at, finished_at, exit_code, blocked_by, cause_run_id, ordinal,
  rerun_of, requested_by, cancel_requested_at, until_at, occurrences, created_at, cancel_requested_by, cancel_reason, start_by, waiting_since,
  wait_until, misfire_at, backfill_id, batch_id, takes, depth, phase, distinct_by, watched, rate_key, traceparent, own_key) ON run, any_run TO escapement_reader;
GRANT SELECT (run_id, scheduled_for, attempt, outcome, reason, worker, fence, started_at, finished_at, exit_code) ON attempt TO escapement_reader;
GRANT SELECT (id, namespace, run_id, scheduled_for, task_id, event, not_before, tries, error, created_at, given_up_at) ON followers_outbox
  TO escapement_reader;
-- Messages quote logs, and name addresses and webhooks.
GRANT SELECT (id, namespace, alert_group, alerts, repeated, state, tries, try_at, created_at, ended_at) ON delivery TO escapement_reader;
GRANT SELECT (id, namespace, rule, kind, severity, task_id, labels, state, seen, since, last_at, fire_at, fired_at, acknowledged_at, acknowledged_by,
  resolved_at, resolved_why, muted, tell, repeat_at) ON alert TO escapement_reader;
-- Bodies of pings quote logs.
GRANT SELECT (namespace, id, name, last_ping_at, last_kind, last_success_at, failed_at, exit_status, due_at, trouble_at, unheard_from,
  unheard_until, pings, paused_at, paused_until, created_at) ON monitor TO escapement_reader;
GRANT SELECT ON failure, task_hour, task_label, task_duration, task_hour_stale, roll_up, fleet_freeze, task_pause, task_plan, calendar_version, deployment, key_slot, rate_bucket, rate_start, rate_wait, alert_silence, alert_watch, backfill, batch, pool, process,
  zone_version, cluster_lock, task_queue, queue_watch, ledger_origin, drift, occurrence_workers TO escapement_reader;

-- Week by week the same.
DO $$
BEGIN
  PERFORM grant_partition(t.name, p.name)
  FROM unnest(ARRAY['run', 'attempt', 'task_hour', 'run_log_chunk']) AS t(name), partitions_of(t.name) p;
END $$;

------------------------------------------------------------------------------------------------------------------------
-- Functions. All but the first run with the rights of whoever calls them, so that these grants give nothing that the tables do not.

-- By the right of the owner, each with its arguments checked.
GRANT EXECUTE ON FUNCTION make_partition TO escapement_scheduler, escapement_worker, escapement_api;
GRANT EXECUTE ON FUNCTION grants_of, note_refusal TO escapement_worker, escapement_api;
GRANT EXECUTE ON FUNCTION add_old_bound, prove_old_bound, take_partition_out, drop_partition, grant_partitions, prune_audit TO escapement_scheduler;

-- The right to save any task, see guard_task(). A definition is a command.
GRANT EXECUTE ON FUNCTION save_any_task TO escapement_scheduler, escapement_api;

GRANT EXECUTE ON FUNCTION acting, add_to_list, apply_effects, ask_replaced, batch_child, columns_of, count_batch, duration_bucket, duration_of, ended_by_hour, expected_workers, finish_replaced, finish_runs,
  forget_next, keep_days, key_holders, key_room, key_room_locked, learn_durations, ledger_place, make_children, need_of, need_on, next_fence, oldest_program, overlap_in_turn, overlap_policies,
  partition_is_there, partition_span, partitions_of, partitions_without_rights, pause_failing, place_code_tasks, pool_rate_key, queue_of, rate_key_of, rate_lock, rate_of, rate_opens_at, rate_reserve,
  rate_take, rate_turn_at, rate_wait_in_line, rates_of_run, rates_shut, release_key_slot, rerun_runs, reservation, resolve_run, rest_until, roll_up_hours, roll_up_stale, roll_up_tasks, run_has_not_begun,
  run_has_overwaited, run_is_cancelled, run_is_current, run_is_due, run_is_in_line, run_is_of_job, run_is_of_schedule, slot_taken, state_conflicts, take_item,
  tasks_labelled, wait_queue_ahead, wait_run, waiting_keys, wake_beside, wake_rated, wake_waiting, worker_of TO escapement_scheduler, escapement_worker, escapement_api;

-- For nobody but the owner: those of triggers, which need no right, and parts of the functions above.
-- grant_partition, guard_audit, guard_task, guard_task_version, note_alert_fact, note_failure, note_labels, note_queue, note_run_change, note_stale_hour, old_partition_end, refuse_audit_change, refuse_terminal_change
