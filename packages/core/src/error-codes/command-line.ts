import type { ErrorText } from './error-text.ts';

/** The command line. */
export const COMMAND_LINE_ERRORS = {
  ambiguous_run_id: { when: 'several runs begin with the digits that were given', fix: 'give more digits' },
  ambiguous_worker: {
    when: 'several workers begin with the name that was given',
    fix: 'give one of the ids that are named',
  },
  bad_arguments: {
    when: 'an assistant gave a tool arguments that it does not take',
    fix: 'give only the arguments that are named',
  },
  bad_assignment: { when: '`--set` is not of the form `path=value`', fix: 'give it as in `--set limit=2`' },
  bad_date: { when: 'a date is not valid', fix: 'give a valid `Date`, or `null` where that is allowed' },
  bad_days: { when: 'the days of a window cannot be read', fix: 'give `day`, `mon-fri` or `sat,sun`' },
  bad_due_time: { when: 'the time at which a run is due is not valid', fix: 'give a valid time that is still to come' },
  bad_effective: {
    when: 'a change is to count from an instant that has passed',
    fix: 'give an instant that is still to come, or none',
  },
  bad_instant: {
    when: 'an instant cannot be read, or lies outside of what is allowed',
    fix: 'give ISO 8601 such as `2026-03-29T02:30:00+02:00`, or a span such as `2h`',
  },
  bad_json: { when: 'a text is not JSON', fix: 'correct it at the place that is named' },
  bad_label: { when: 'a label is not of the form `name=value`', fix: 'give it as in `--label team=shop`' },
  bad_lines: { when: 'the numbers of lines cannot be read', fix: 'give numbers and ranges, as in `3,7-9`' },
  bad_login_file: {
    when: 'the file in which `escapement login` keeps tokens cannot be read',
    fix: 'log in again, or delete the file',
  },
  bad_name: { when: 'a name has characters that are not allowed', fix: 'give a name within the limits that are named' },
  bad_namespace: {
    when: 'a namespace has characters that are not allowed',
    fix: 'give 1 to 63 letters, digits and `._-`, beginning with a letter or digit',
  },
  bad_new_task: { when: 'the options of `tasks add` do not make a task', fix: 'correct what is named' },
  bad_number: {
    when: 'a number is not whole, or out of its bounds',
    fix: 'give a whole number within the bounds that are named',
  },
  bad_query: {
    when: 'a query of runs cannot be read, or says twice what an option says',
    fix: 'correct the character that is named',
  },
  bad_range: {
    when: 'a range of time is empty, too long, or still to come',
    fix: 'give a range within the limits that are named',
  },
  bad_rate: { when: 'a rate cannot be read', fix: 'give it as `5/s`, `10/m` or `100/h`' },
  bad_release: { when: 'the name of a release is too long or has line breaks', fix: 'give 1 to 100 characters' },
  bad_run_id: {
    when: 'what was given is not the id of a run',
    fix: 'give an id as `escapement runs list` shows it, or its first digits',
  },
  bad_set: {
    when: 'the name of a set of tasks has characters that are not allowed',
    fix: 'give letters, digits, dots, `_` and `-`, at most 100',
  },
  bad_span: {
    when: 'a span of time cannot be read, or is too long',
    fix: 'give a number with a unit: `30s`, `15m`, `2h`, `7d`',
  },
  bad_states: { when: 'an act is not possible for runs in these states', fix: 'give the states that are named' },
  bad_subject: { when: '`audit log --on` is not of the form `kind:name`', fix: 'give it as in `task:nightly`' },
  bad_text: {
    when: 'a text is empty, too long, or has a character that Postgres cannot store',
    fix: 'correct it within the limits that are named',
  },
  bad_usage: { when: 'the command was given options that do not fit together', fix: 'see `--help` of the command' },
  bad_window: { when: 'a window of the day cannot be read', fix: 'give two times of day, as in `01:00-05:00`' },
  cannot_read: { when: 'a file cannot be read', fix: 'name a file that this user may read' },
  cannot_write: { when: 'a file cannot be written', fix: 'run the command as the owner of the file and its folder' },
  file_changed: { when: 'a file was changed while the command worked on it', fix: 'give the command again' },
  file_exists: {
    when: 'files of these names are there, and are not from Escapement',
    fix: 'give another folder, or `--replace`',
  },
  input_too_large: { when: 'a file is larger than the command reads', fix: 'split it into several files' },
  interrupted: {
    when: 'Ctrl-C ended the command; a request at the server goes on',
    fix: 'see the command that is named',
  },
  missing_option: { when: 'an option needs another one beside it', fix: 'add the option that is named' },
  needless_option: { when: 'two options say the same, or one says nothing here', fix: 'leave one of them out' },
  never_fires: { when: 'a schedule is not due after the instant that was given', fix: 'give an earlier `--after`' },
  no_expression: { when: 'no schedule was given', fix: 'give a cron expression in quotes, or `--task NAME`' },
  no_file: {
    when: 'a file or folder cannot be read, or has nothing in it that the command takes',
    fix: 'give the path of a file, or `-` for standard input',
  },
  no_run_named: {
    when: 'it is not clear which run is meant',
    fix: 'give an id, or `--task`, or `--last`; only one of them',
  },
  not_confirmed: {
    when: 'a command asks before it acts, and there is no terminal',
    fix: 'give `--yes`, or `--dry-run` to see what would be done',
  },
  not_utf8: { when: 'a file is not in UTF-8', fix: 'convert it' },
  nothing_selected: {
    when: 'it is not said which runs are meant',
    fix: 'give the id of a run, or options that select many',
  },
  nothing_to_change: {
    when: '`what-if` was given nothing that would be different',
    fix: 'give `--schedule`, `--overlap` or `--limit`',
  },
  nothing_to_edit: { when: 'a change changes nothing', fix: 'say what is to be changed' },
  nothing_to_set: {
    when: '`pools set` was given no setting',
    fix: 'give `--expected-workers`, `--priorities` or `--rate`',
  },
  nothing_to_unset: { when: 'a field that is to be removed is not there', fix: 'name a field that is there' },
  other_namespace: {
    when: 'the API is that of another namespace',
    fix: 'ask the right API, or leave out `ESCAPEMENT_NAMESPACE`',
  },
  read_only: {
    when: 'an assistant called a tool that changes something, and the server only reads',
    fix: 'start it as `escapement mcp --allow-write`',
  },
  too_much_selected: {
    when: 'a run is named, and others are selected too',
    fix: 'give either an id or options that select many',
  },
  unknown_origin: { when: 'there is no such origin of runs', fix: 'give one of the origins that are named' },
  unknown_program: {
    when: '`escapement start` was given a program that does not exist',
    fix: 'give `scheduler`, `worker`, `api` or `all`',
  },
  unknown_resolution: {
    when: '`runs resolve --as` was given a word that it does not know',
    fix: 'give `succeeded`, `failed` or `rerun`',
  },
  unknown_state: { when: 'there is no such state', fix: 'give one of the states in states.md' },
} as const satisfies Record<string, ErrorText>;
