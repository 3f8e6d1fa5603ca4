import type { ErrorText } from './error-text.ts';

/** Tasks, pools and lists. */
export const DEFINITIONS_ERRORS = {
  bad_calendar_name: { when: 'the name of a calendar has characters that are not allowed', fix: 'give another name' },
  bad_header: {
    when: 'a header of an HTTP task is not allowed by HTTP',
    fix: 'take out line breaks, and characters outside of Latin-1',
  },
  bad_key_template: { when: 'the template of a key cannot be read', fix: 'write it as `{{payload.field}}`' },
  bad_limit: { when: 'the limit of a key is out of its bounds', fix: 'give a limit within the bounds that are named' },
  bad_list_name: {
    when: 'the name of a list has characters that are not allowed',
    fix: 'give 1 to 200 letters, digits and `._:@/-`',
  },
  bad_pool: {
    when: 'the name of a pool has characters that are not allowed',
    fix: 'give lower-case letters, digits, `_` and `-`, at most 63',
  },
  bad_task: { when: 'the definition of a task is not valid', fix: 'correct each value that is named' },
  bad_template: {
    when: 'a template of a payload names something that it cannot hold',
    fix: 'write it with `output`, `payload` or `run.id`',
  },
  calendar_in_use: { when: 'a task or a route of alerts uses the calendar', fix: 'take it out there first' },
  change_waits: {
    when: 'a later change of the task waits for its time',
    fix: 'wait for it, or drop it with `escapement tasks edit NAME --drop-pending`',
  },
  follow_cycle: { when: 'tasks would follow each other in a circle', fix: 'leave out one of the links' },
  json_forbidden_key: { when: 'a value has a key such as `__proto__`', fix: 'rename the key' },
  json_lone_surrogate: { when: 'a text has half of a surrogate pair', fix: 'cut texts between characters' },
  json_number: {
    when: 'a number in JSON would change as it is read, such as a whole number beyond 2^53',
    fix: 'write it as text, or round it',
  },
  json_nul: { when: 'a text has a NUL character, which Postgres cannot store', fix: 'remove it' },
  json_too_deep: { when: 'a value is nested too deep, or contains itself', fix: 'make it flatter' },
  json_too_large: { when: 'a value is too large', fix: 'keep large data elsewhere, and pass a reference' },
  key_too_long: { when: 'a key is too long', fix: 'use a shorter key' },
  limit_disagrees: {
    when: 'two tasks with the same key ask for different limits',
    fix: 'give both the same limit, or another key',
  },
  masked_value: {
    when: '`***`, which stands for a secret that is hidden, was given as a value',
    fix: 'give the value, or `{ "secret": "NAME" }`',
  },
  no_workers: {
    when: 'a task runs on every worker, and its pool has none that can run it',
    fix: 'start a worker of the pool',
  },
  not_json: {
    when: 'a value cannot be written as JSON',
    fix: 'use `null`, booleans, finite numbers, strings, arrays and plain objects',
  },
  not_spread: { when: 'a worker was named for a task that does not run on every worker', fix: 'leave the worker out' },
  plan_outdated: { when: 'what an `apply` has planned has changed meanwhile', fix: 'plan it again' },
  prune_refused: {
    when: 'an `apply` or import would delete more than is safe',
    fix: 'look at the plan; then allow it as the message says',
  },
  rate_disagrees: {
    when: 'two tasks with the same key of a rate ask for different rates',
    fix: 'give both the same rate, or another key',
  },
  save_races: { when: 'the task kept changing while it was saved', fix: 'try again' },
  spread_follows: { when: 'a task that runs on every worker cannot follow a run', fix: 'leave out one of the two' },
  task_deleted: { when: 'the task was deleted', fix: 'save it again; that brings it back' },
  task_exists: {
    when: 'a task of this name is there already',
    fix: 'change it with `escapement tasks edit`, or give another name',
  },
  task_is_named: { when: 'other tasks name this one as what follows them', fix: 'take it out there first' },
  task_of_another_source: {
    when: 'a task of this name belongs to another source, such as a file or a person',
    fix: 'give one of them another name',
  },
  task_of_code: { when: 'the task comes from code, so it is renamed there', fix: 'change the name in the code' },
  task_of_two_apps: {
    when: 'two deployments define a task of the same name in different ways',
    fix: 'give one of them another name',
  },
  tasks_refused: {
    when: 'some tasks of a request are not valid, so nothing was changed',
    fix: 'correct each one that is named',
  },
  too_few_occurrences: {
    when: 'a task has fewer occurrences to skip than were asked',
    fix: 'see `escapement next --task NAME`',
  },
  unknown_calendar: { when: 'there is no calendar of this name', fix: 'see `escapement calendars list`' },
  unknown_key: { when: 'no task has this key', fix: 'see `escapement tasks list`' },
  unknown_key_field: {
    when: 'the template of a key names a field that the payload lacks',
    fix: 'give the payload that field',
  },
  unknown_list: { when: 'there is no list of this name', fix: 'see `escapement lists show`' },
  unknown_pool: { when: 'no task names this pool, and no worker serves it', fix: 'see `escapement pools list`' },
  unknown_task: { when: 'there is no task of this name', fix: 'see `escapement tasks list`' },
  unknown_task_version: {
    when: 'the ledger names a version of a task that is not there',
    fix: 'report it: this should not happen',
  },
  unknown_template_field: {
    when: 'a template names a field that is not there, or is not plain text',
    fix: 'name what the run was given or gave back',
  },
  unknown_version: { when: 'the task has no such version', fix: 'see `escapement tasks history NAME`' },
  unknown_worker: { when: 'no worker of this name can run the task', fix: 'see `escapement workers list`' },
} as const satisfies Record<string, ErrorText>;
