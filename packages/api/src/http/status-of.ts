import { type EscapementError, ScheduleError } from '@escapement/core';

/** Of codes that have no status by their first word. */
const STATUS: Readonly<Record<string, number>> = {
  ...each(401, ['bad_token', 'token_expired', 'token_revoked', 'bad_login', 'sign_in_code_over', 'session_over']),
  ...each(403, ['not_allowed', 'no_group_role', 'user_disabled']),
  ...each(404, ['never_ran', 'no_run_begun', 'no_state', 'nothing_to_settle']),
  ...each(409, [
    'alert_not_firing',
    'ambiguous_run_id',
    'ambiguous_worker',
    'backfill_ended',
    'calendar_in_use',
    'change_waits',
    'fleet_alive',
    'key_changed',
    'key_free',
    'name_taken',
    'no_cutover',
    'open_cutover',
    'plan_outdated',
    'request_ended',
    'run_ended',
    'run_not_current',
    'run_not_unknown',
    'run_of_every_worker',
    'run_open',
    'run_pruned',
    'run_races',
    'run_rerunning',
    'run_stretch',
    'save_races',
    'several_slots',
    'task_deleted',
    'task_exists',
    'task_is_named',
    'task_of_another_source',
    'task_of_code',
    'task_of_two_apps',
    'user_of_provider',
    'verification_runs',
  ]),
  ...each(422, [
    'backfill_too_long',
    'cannot_replay',
    'cannot_say',
    'chain_too_deep',
    // Of a crontab that is patched on its host.
    'bad_program',
    'command_too_long',
    'line_changed',
    'line_of_fleet',
    'egress_denied',
    'follow_cycle',
    'idempotency_key_reused',
    'forecast_too_large',
    'invalid_instant',
    'json_forbidden_key',
    'json_lone_surrogate',
    'json_nul',
    'json_number',
    'json_too_deep',
    'json_too_large',
    'key_reserved',
    'key_too_long',
    'limit_disagrees',
    'masked_value',
    'no_occurrences',
    'no_reason',
    'no_workers',
    'not_json',
    'not_spread',
    'nothing_selected',
    'nothing_to_edit',
    'nothing_to_unset',
    'prune_refused',
    'rate_disagrees',
    'rrule_weekday',
    'runs_on_every_worker',
    'secret_bound',
    'secret_missing',
    'secret_not_declared',
    'spread_follows',
    'too_few_occurrences',
    'too_many_chained',
    'too_many_items',
    'too_many_pieces',
    'too_many_reports',
    'too_much_selected',
  ]),
  ...each(429, ['too_many_bad_tokens', 'too_many_pings', 'too_many_sign_ins']),
  ...each(503, ['no_answer', 'no_scheduler_answers']),
};

/** About the server itself, its database or its configuration: told to nobody but its log. */
const OWN: ReadonlySet<string> = new Set([
  'bad_configuration',
  'bad_egress',
  'bad_group_roles',
  'bad_role_prefix',
  'bad_secrets',
  'batch_twice',
  'database_busy',
  'database_pools_transactions',
  'database_read_only',
  'database_rights',
  'system_refused',
  'database_unreachable',
  'followers_failed',
  'function_failed',
  'function_misnamed',
  'may_not_create_roles',
  'migration_changed',
  'migration_failed',
  'migration_missing',
  'migration_of_another_history',
  'migration_unfinished',
  'no_migrations',
  'no_topic',
  'no_transaction',
  'no_worker',
  'other_database',
  'program_too_old',
  'roles_failed',
  'time_stands_still',
]);

/** Whether it is decided what becomes of a code. */
export function isKnown(code: string): boolean {
  return OWN.has(code) || Object.hasOwn(STATUS, code);
}

function each(status: number, codes: readonly string[]): Record<string, number> {
  return Object.fromEntries(codes.map((code) => [code, status]));
}

/**
 * The status of an error that is meant for users; undefined: it is not. What is not there is 404 where the route is about it
 * (`missing`), and else a value that cannot be taken: a task that names a calendar which is not there.
 */
export function statusOf(error: EscapementError, missing: readonly string[]): number | undefined {
  const { code } = error;
  if (OWN.has(code)) return undefined;
  const known = Object.hasOwn(STATUS, code) ? STATUS[code] : undefined;
  if (known !== undefined) return known;
  if (error instanceof ScheduleError) return 422;
  if (code.startsWith('unknown_')) return missing.includes(code) ? 404 : 422;
  return code.startsWith('bad_') ? 400 : undefined;
}
