/** Ways in which tasks can come at the credentials of the worker that runs them: what is so, and what ends it. */
export const EXPOSURES = {
  root: {
    what: 'tasks run as root, as the worker does: they can read everything',
    fix: 'set ESCAPEMENT_RUN_AS to another user',
  },
  root_tasks: {
    what: 'shell tasks may name root, and then read everything',
    fix: 'leave ESCAPEMENT_ALLOW_ROOT_TASKS out, or see who may save tasks',
  },
  inline: {
    what: 'inline tasks are loaded into the worker',
    fix: 'leave ESCAPEMENT_ALLOW_INLINE out',
  },
  debugger: {
    what: 'the worker was started with a debugger, to which every user of its machine may connect',
    fix: 'start it without --inspect',
  },
  memory: {
    what: "tasks are the worker's own user and can read its memory, by /proc or a debugger",
    fix: 'start the worker as root with ESCAPEMENT_RUN_AS, or by a node that its user cannot read',
  },
  start_environment: {
    what: 'tasks can see the environment that the worker was started with',
    fix: 'pass credentials by ESCAPEMENT_SETTINGS_FILE=/dev/fd/3',
  },
  other_processes: {
    what: 'other processes of the user of tasks have credentials in their environment, such as what started the worker',
    fix: 'start the worker as root with ESCAPEMENT_RUN_AS, or give it the credentials by ESCAPEMENT_SETTINGS_FILE',
  },
  files: {
    what: 'the user of tasks can read the settings file or the key of a certificate',
    fix: 'let the file belong to root, with mode 600, and start the worker as root',
  },
} as const satisfies Record<string, { what: string; fix: string }>;

export type Exposure = keyof typeof EXPOSURES;
