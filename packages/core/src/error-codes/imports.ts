import type { ErrorFacts } from './error-facts.ts';

/** Crontabs and other schedulers. */
export const IMPORTS_ERRORS = {
  bad_only: {
    when: '`--only` names a task that is not among those of the import',
    fix: 'give names as the preview shows them',
    status: 400,
    exit: 2,
  },
  bad_prefix: {
    when: '`--prefix` has characters that are not allowed',
    fix: 'give letters, digits and `._:@/-`, at most 100',
    status: 400,
    exit: 2,
  },
  bad_program: {
    when: 'the lines of a crontab could not start the command line: their user cannot reach it, or it is in the cache of npx',
    fix: 'install it in a folder that everybody can read, and patch with that one',
    status: 422,
    exit: 2,
  },
  bad_report: {
    when: 'a report of a host is not valid, or its command is missing',
    fix: 'run `escapement report --line ID -- COMMAND`',
    status: 400,
    exit: 2,
  },
  bad_user: {
    when: 'the user whose crontab it is has no name of a user, or is given where each line names its own',
    fix: 'give the name of a user of the system, and only for a crontab without a user column',
    status: 400,
    exit: 2,
  },
  cannot_say: {
    when: "the other scheduler's format cannot express something",
    fix: 'do as the message says, or leave it out',
    status: 422,
    exit: 2,
  },
  command_too_long: {
    when: 'with its wrapper, the line would be longer than cron takes',
    fix: 'put the command into a script',
    status: 422,
    exit: 2,
  },
  line_changed: {
    when: 'a line was changed since it was patched',
    fix: 'patch the file again, or give the `--source` of the patch',
    status: 422,
    exit: 2,
  },
  line_of_fleet: {
    when: 'the fleet runs this line, so cron must not run it too',
    fix: 'take the line out of the crontab, or give it back first',
    status: 422,
    exit: 2,
  },
  no_cutover: {
    when: 'the line cannot change sides now',
    fix: 'do as the message says; see `escapement shadow status`',
    status: 409,
    exit: 2,
  },
  no_crontabs: {
    when: 'no crontab is found on the host',
    fix: 'name the folder that is `/` of the host with `--root`',
    status: null,
    exit: 2,
  },
  no_queue: {
    when: 'Redis has no queue of this name and prefix',
    fix: 'check `--queue`, `--key-prefix` and the number of the database',
    status: null,
    exit: 2,
  },
  no_run_parts: {
    when: 'no crontab of the host, and no job of its anacron, starts the scripts of a folder',
    fix: 'say when they are due: `--schedule`',
    status: null,
    exit: 2,
  },
  nothing_to_settle: {
    when: 'no cut-over of this line waits for its host',
    fix: 'see `escapement shadow status`',
    status: 404,
    exit: 2,
  },
  open_cutover: {
    when: 'the host has not answered the last cut-over of the line',
    fix: 'run `escapement report --send` there, or settle it',
    status: 409,
    exit: 2,
  },
  too_many_reports: { when: 'too many reports were sent at once', fix: 'send fewer', status: 422, exit: 2 },
  unknown_line: {
    when: 'no task belongs to this line of a crontab',
    fix: 'see `escapement shadow status`',
    status: '404 or 422',
    exit: 2,
  },
  unknown_source: {
    when: 'no task of this crontab is in its shadow',
    fix: 'import it with `--shadow --write`',
    status: '404 or 422',
    exit: 2,
  },
} as const satisfies Record<string, ErrorFacts>;
