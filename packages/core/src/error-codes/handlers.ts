import type { ErrorText } from './error-text.ts';

/** Handlers and code of tasks. */
export const HANDLERS_ERRORS = {
  bad_answer: {
    when: 'the answer to an HTTP task is too large or has a wrong form',
    fix: 'correct the server, or the limits of the task',
  },
  bad_call: {
    when: 'the handler asked its worker for something that it does not know',
    fix: 'bring worker and task to the same version',
  },
  bad_message: {
    when: 'a shell task wrote a message that is too long or cannot be read',
    fix: 'write messages as handlers.md says',
  },
  bad_order: { when: 'a batch asks for an order that is not possible', fix: 'give `order` and `concurrency` that fit' },
  bad_timebox: { when: 'the options of a time box are not valid', fix: 'correct what is named; see timebox.md' },
  batch_changed: {
    when: 'a retry fanned out to another task than the first attempt',
    fix: 'fan out in the same way, or give batches an `id`',
  },
  batch_not_filled: {
    when: 'the batch does not take items of this attempt any more',
    fix: 'do not call `ctx.fanOut` twice at once with the same id',
  },
  batch_twice: { when: 'a run fanned out twice with the same id', fix: 'give each call an id of its own' },
  call_failed: {
    when: 'the worker could not carry out what the handler asked for',
    fix: 'let the run be retried; see the log of the worker',
  },
  chain_too_deep: {
    when: 'runs follow runs more often than is allowed',
    fix: 'let the task say when it is due next with `ctx.scheduleNext()`',
  },
  egress_denied: {
    when: 'a request goes to an address that is not open',
    fix: 'open it in the configuration of the worker',
  },
  fan_out_too_deep: { when: 'batches start batches more often than is allowed', fix: 'end the circle' },
  followers_failed: {
    when: 'the runs that follow a run could not be made',
    fix: 'see the log of the schedulers; it is tried again',
  },
  group_unknown: { when: "the worker's system has no such group", fix: 'create it there' },
  no_pipe: {
    when: 'the worker could not make a pipe for the output of a shell task',
    fix: 'give it `mkfifo`, a writable temporary folder, and free file descriptors',
  },
  no_state: { when: 'the task declares no state', fix: 'give it `state`' },
  no_such_directory: {
    when: 'the working directory does not exist on the worker',
    fix: 'create it, or use a pool whose workers have it',
  },
  no_worker: {
    when: 'a handler that runs in a test asked for a worker',
    fix: 'give the context an `ask`, or run the task in a fleet',
  },
  not_started: {
    when: 'the command of a shell task could not be started',
    fix: 'correct the command; see what is named',
  },
  output_invalid: { when: 'the output does not fit the schema of the task', fix: 'correct the handler or the schema' },
  payload_invalid: {
    when: 'the payload does not fit the schema of the task',
    fix: 'correct the payload or the schema',
  },
  results_pruned: {
    when: 'a run of a batch was deleted before its result was read',
    fix: 'read results within the retention of the task',
  },
  root_not_allowed: {
    when: 'the task wants to run as root, and the worker does not allow it',
    fix: 'set `ESCAPEMENT_ALLOW_ROOT_TASKS=true` on trusted workers only',
  },
  run_not_current: {
    when: 'another attempt of the run has begun, so this one may not write',
    fix: 'end the handler when its signal is aborted',
  },
  run_stopped: {
    when: 'the run was stopped while it waited for results',
    fix: 'let it end; a retry finds the batch as it is',
  },
  secret_bound: {
    when: 'the secret is bound to other tasks or hosts',
    fix: 'use another secret, or extend its entry in `ESCAPEMENT_SECRETS`',
  },
  secret_kept: { when: 'a value that would be stored contains a secret', fix: 'store the name of the secret instead' },
  secret_missing: {
    when: 'the worker has no such secret',
    fix: "set it in the worker's environment, and list it in `ESCAPEMENT_SECRETS`",
  },
  secret_not_declared: {
    when: 'the handler asked for a secret that the task does not declare',
    fix: 'declare it in `defineTask`',
  },
  setpriv_missing: {
    when: 'the user has further groups, and the worker has no `setpriv`',
    fix: 'install util-linux on the worker',
  },
  shell_not_allowed: {
    when: 'the worker does not run shell tasks',
    fix: 'set `ESCAPEMENT_ALLOW_SHELL=true`, or use another pool',
  },
  spread_has_no_next: {
    when: 'a task that runs on every worker cannot decide when it is due next',
    fix: 'leave out one of the two',
  },
  state_invalid: { when: 'the state does not fit the schema of the task', fix: 'correct the handler or the schema' },
  time_stands_still: {
    when: 'in a test, the turns of a time box took no time',
    fix: 'give `testTask` a `turnMs`, or let a fake advance the time',
  },
  too_many_chained: { when: 'a run chains more runs than is allowed', fix: 'use a batch (`ctx.fanOut`)' },
  too_many_items: { when: 'a batch has too many items', fix: 'put several things into one item' },
  user_not_permitted: {
    when: 'the worker cannot start processes as this user',
    fix: 'run the worker as root, or use another pool',
  },
  user_unknown: { when: "the worker's system has no such user", fix: 'create it there, or use another pool' },
} as const satisfies Record<string, ErrorText>;
