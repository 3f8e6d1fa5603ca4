import { DAY, DEFAULT_EGRESS_TEXT, HOUR, LEASE_MS, MINUTE, maskUrl, maskUrlPath, SECOND } from '@escapement/core';
import type { z } from 'zod';
import { DATABASE_VARIABLES } from './database-variables.ts';
import { REDIS_VARIABLES } from './redis-variables.ts';
import { BASE_NAMES } from './task-environment.ts';
import {
  egress,
  flag,
  mailAddress,
  mailAddresses,
  oneOf,
  openNames,
  paths,
  poolNames,
  portOrOff,
  secretRules,
  text,
  url,
  urls,
  webhookSecrets,
  wholeNumber,
} from './values.ts';
import { ALL, APPS, NOTIFIERS, type Role, type Variable } from './variable.ts';

/** Every variable that Escapement reads. */
export const VARIABLES = {
  databaseUrl: {
    env: 'DATABASE_URL',
    section: 'Servers',
    roles: ALL,
    schema: url('postgres', 'postgresql'),
    required: true,
    mask: maskUrl,
    doc: 'The Postgres that holds tasks and the ledger: the only place that must be backed up.',
  },
  redisUrl: {
    env: 'REDIS_URL',
    section: 'Servers',
    roles: ALL,
    schema: url('redis', 'rediss'),
    required: true,
    mask: maskUrl,
    doc: 'The Redis that carries the queues and leases. It may be flushed at any moment; nothing is lost.',
  },
  settingsFile: {
    env: 'ESCAPEMENT_SETTINGS_FILE',
    section: 'Servers',
    roles: ALL,
    schema: text('the path of a file', /\S/),
    doc: 'A file with more of these variables, `NAME=value` a line (in quotes where it has a space or `#`), read once at start. If both set a variable, the environment counts. `/dev/fd/3` is a descriptor that the process was given; it is closed after reading.',
  },
  namespace: {
    env: 'ESCAPEMENT_NAMESPACE',
    section: 'Servers',
    roles: ALL,
    schema: text('lower-case letters, digits, _ and -, at most 63', /^[a-z0-9][a-z0-9_-]{0,62}$/),
    default: 'default',
    doc: 'Keeps several fleets apart that share a Postgres or a Redis. Task names are unique within it.',
  },
  actor: {
    env: 'ESCAPEMENT_ACTOR',
    section: 'Servers',
    roles: ['cli'],
    schema: text('1 to 200 visible characters', /^[^\p{C}]{1,200}$/u),
    doc: 'Who acts at the command line, as runs, versions and the audit show it: for a program that acts for somebody. Default: the user of the operating system, `user@host`, which the audit keeps in any case.',
  },
  token: {
    env: 'ESCAPEMENT_TOKEN',
    section: 'Servers',
    roles: ['cli'],
    schema: text('a token as `escapement tokens create` prints it', /^esc_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/),
    mask: () => '***',
    doc: 'The command line acts and looks as this token, and may do what that may. Default: it may do everything.',
  },
  migrate: {
    env: 'ESCAPEMENT_MIGRATE',
    section: 'Servers',
    roles: APPS,
    schema: flag(),
    default: 'false',
    doc: 'Apply missing migrations on start. Otherwise a process whose database is behind says so and ends; run `escapement migrate`. Needs a user who owns the tables: one with the role of a scheduler or worker may not migrate, and starts where nothing is missing.',
  },
  allowEviction: {
    env: 'ESCAPEMENT_ALLOW_EVICTION',
    section: 'Servers',
    roles: ALL,
    schema: flag(),
    default: 'false',
    doc: 'Accept a Redis whose `maxmemory-policy` is not `noeviction`. Such a Redis may drop queued jobs and leases when it is full; runs then start late, once the reconciler has put them back.',
  },
  maxClockOffsetMs: {
    env: 'ESCAPEMENT_MAX_CLOCK_OFFSET_MS',
    section: 'Servers',
    roles: ALL,
    schema: wholeNumber(10, MINUTE),
    unit: 'ms',
    default: '500',
    doc: "How far this machine's clock may be off Postgres' clock. Beyond it the process is not ready and takes no work.",
  },
  ...DATABASE_VARIABLES,
  ...REDIS_VARIABLES,
  pools: {
    env: 'ESCAPEMENT_POOLS',
    section: 'Working',
    roles: ['worker'],
    schema: poolNames(),
    default: 'default',
    doc: 'The pools whose runs this worker takes.',
  },
  concurrency: {
    env: 'ESCAPEMENT_CONCURRENCY',
    section: 'Working',
    roles: ['worker'],
    schema: wholeNumber(1, 10_000),
    default: '50',
    doc: 'Runs that this worker executes at once, in each of its pools, whatever they need.',
  },
  leaseMs: {
    env: 'ESCAPEMENT_LEASE_MS',
    section: 'Working',
    roles: ALL,
    schema: wholeNumber(2 * SECOND, 5 * MINUTE),
    unit: 'ms',
    default: String(LEASE_MS),
    doc: "How long a lease, and a worker's heartbeat, is believed without renewal. A shorter time finds a dead worker sooner; a longer one tolerates a slow network. The same for all processes of a fleet.",
  },
  horizonMs: {
    env: 'ESCAPEMENT_HORIZON_MS',
    section: 'Working',
    roles: ['scheduler'],
    schema: wholeNumber(1 * SECOND, 5 * MINUTE),
    unit: 'ms',
    default: String(10 * SECOND),
    doc: 'How far ahead runs are planned and put into Redis.',
  },
  graceMs: {
    env: 'ESCAPEMENT_GRACE_MS',
    section: 'Working',
    roles: ['worker'],
    schema: wholeNumber(0, DAY),
    unit: 'ms',
    default: String(30 * SECOND),
    doc: 'On SIGTERM or SIGINT: how long runs may go on before they are aborted. The process ends at most 5 s later. Give the container at least this time plus 5 s.',
  },
  tasks: {
    env: 'ESCAPEMENT_TASKS',
    section: 'Tasks',
    roles: ['worker'],
    schema: paths(),
    doc: 'Where tasks written with `defineTask` are loaded from. Relative paths count from the working directory.',
  },
  app: {
    env: 'ESCAPEMENT_APP',
    section: 'Tasks',
    roles: ['worker'],
    schema: text('at most 200 letters, digits and ._:@/,-', /^[A-Za-z0-9._:@/,-]{1,200}$/),
    doc: 'The name of the application whose code this is. Of its deployments, the latest with a living worker counts; a task that is no longer in that code is paused. Default: name of the package around `ESCAPEMENT_TASKS` and the path in there, as in `shop/tasks`.',
  },
  release: {
    env: 'ESCAPEMENT_RELEASE',
    section: 'Tasks',
    roles: ['worker'],
    schema: text('at most 100 characters, no line breaks', /^[^\r\n]{1,100}$/),
    doc: 'The name of this version of the code: a version, a commit. Shown with the tasks that it changes. Set it if you can: the same code under another release is another deployment, so a roll-back under a new release counts at once.',
  },
  allowShell: {
    env: 'ESCAPEMENT_ALLOW_SHELL',
    section: 'Tasks',
    roles: ['worker'],
    schema: flag(),
    default: 'false',
    doc: 'Run `shell` tasks. Everybody who may save a task may then run any command as the user of tasks (ESCAPEMENT_RUN_AS); without it such runs never come to this worker.',
  },
  secrets: {
    env: 'ESCAPEMENT_SECRETS',
    section: 'Tasks',
    roles: ['worker'],
    schema: secretRules(),
    default: 'ESCAPEMENT_SECRET_*',
    doc: "Variables of the worker's environment that tasks may refer to as secrets, and which tasks may, see [Bound secrets](handlers.md#bound-secrets). Tasks cannot refer to any other.",
  },
  runAs: {
    env: 'ESCAPEMENT_RUN_AS',
    section: 'Tasks',
    roles: ['worker'],
    schema: text(
      'user or user:group, by name or number',
      /^[A-Za-z0-9_][A-Za-z0-9_.@-]*\$?(:[A-Za-z0-9_][A-Za-z0-9_.@-]*)?$/,
    ),
    doc: "The user of the processes of shell and code tasks, without further groups, if the worker is root. Default: `nobody` for such a worker. Without root tasks are the worker's own user, and no other can be named.",
  },
  allowRootTasks: {
    env: 'ESCAPEMENT_ALLOW_ROOT_TASKS',
    section: 'Tasks',
    roles: ['worker'],
    schema: flag(),
    default: 'false',
    doc: 'Run shell tasks whose `user` is root, where the worker is root. Such a task can read all that the worker can, its credentials included; without it such runs fail and say so.',
  },
  allowInline: {
    env: 'ESCAPEMENT_ALLOW_INLINE',
    section: 'Tasks',
    roles: ['worker'],
    schema: flag(),
    default: 'false',
    doc: "Load tasks with `isolation: 'inline'` into the worker itself, where they can read its credentials. Without it they run in processes of their own, as all others.",
  },
  taskEnv: {
    env: 'ESCAPEMENT_TASK_ENV',
    section: 'Tasks',
    roles: ['worker'],
    schema: openNames(),
    doc: `Further variables of the worker's environment that shell and code tasks get as they are. They always get ${BASE_NAMES.map((name) => `\`${name}\``).join(', ')}, if the worker has them. Secrets and the settings of Escapement are never among them.`,
  },
  egress: {
    env: 'ESCAPEMENT_EGRESS',
    section: 'Tasks',
    roles: ALL,
    schema: egress(),
    default: DEFAULT_EGRESS_TEXT,
    doc: 'Where `http` tasks and webhooks may send requests: all that is open, see [What requests may reach](handlers.md#what-requests-may-reach). The same for all processes of a fleet and for the command line, which refuses a task whose URL has an address that is not open.',
  },
  smtpUrl: {
    env: 'ESCAPEMENT_SMTP_URL',
    section: 'Notices',
    roles: NOTIFIERS,
    schema: url('smtp', 'smtps'),
    mask: maskUrl,
    doc: 'The mail server for notices, as in `smtp://user:password@mail.example.com:587`. Without it no mail is sent. Options of nodemailer may follow as a query: `?requireTLS=true`, or `?tls.rejectUnauthorized=false` for a server with a certificate of its own making.',
  },
  mailFrom: {
    env: 'ESCAPEMENT_MAIL_FROM',
    section: 'Notices',
    roles: NOTIFIERS,
    schema: mailAddress(),
    doc: 'The sender of notices. Required with ESCAPEMENT_SMTP_URL.',
  },
  notifyEmail: {
    env: 'ESCAPEMENT_NOTIFY_EMAIL',
    section: 'Notices',
    roles: NOTIFIERS,
    schema: mailAddresses(),
    doc: 'Who gets a mail when a run of any task finally fails, unless the task says otherwise. Requires ESCAPEMENT_SMTP_URL.',
  },
  notifyWebhook: {
    env: 'ESCAPEMENT_NOTIFY_WEBHOOK',
    section: 'Notices',
    roles: NOTIFIERS,
    schema: urls('http', 'https'),
    mask: (value) => value.split(',').map(maskUrlPath).join(','),
    doc: 'The URL that gets a JSON POST when a run of any task finally fails, unless the task says otherwise.',
  },
  webhookSecrets: {
    env: 'ESCAPEMENT_WEBHOOK_SECRET',
    section: 'Notices',
    roles: NOTIFIERS,
    schema: webhookSecrets(),
    mask: () => '***',
    doc: 'Signs webhooks, see [Signatures](operations.md#signatures). Two while one replaces the other: both sign. Without it webhooks are not signed.',
  },
  healthPort: {
    env: 'ESCAPEMENT_HEALTH_PORT',
    section: 'Health',
    roles: APPS,
    schema: portOrOff(),
    default: { scheduler: '8080', worker: '8081' },
    doc: 'Where `/healthz` and `/readyz` answer.',
  },
  healthHost: {
    env: 'ESCAPEMENT_HEALTH_HOST',
    section: 'Health',
    roles: APPS,
    schema: text('an address or name of this machine', /^[A-Za-z0-9_.:%-]+$/),
    default: '127.0.0.1',
    doc: 'The address that the health server listens on; `0.0.0.0` for probes from other machines, as in a container.',
  },
  deadmanUrl: {
    env: 'ESCAPEMENT_DEADMAN_URL',
    section: 'Health',
    roles: ['scheduler'],
    schema: url('http', 'https'),
    mask: maskUrlPath,
    doc: 'A URL that the scheduler calls as long as it is healthy, so that a service outside raises the alarm when the calls stop.',
  },
  deadmanIntervalMs: {
    env: 'ESCAPEMENT_DEADMAN_INTERVAL_MS',
    section: 'Health',
    roles: ['scheduler'],
    schema: wholeNumber(1 * SECOND, 1 * HOUR),
    unit: 'ms',
    default: String(1 * MINUTE),
    doc: 'Time between two of these calls.',
  },
  logLevel: {
    env: 'ESCAPEMENT_LOG_LEVEL',
    section: 'Logs',
    roles: ALL,
    schema: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info',
    doc: 'The lowest level that is written.',
  },
  logFormat: {
    env: 'ESCAPEMENT_LOG_FORMAT',
    section: 'Logs',
    roles: ALL,
    schema: oneOf('json', 'pretty'),
    default: 'json',
    doc: 'One JSON object a line, or one readable line each.',
  },
  noColor: {
    env: 'NO_COLOR',
    section: 'Logs',
    roles: ALL,
    schema: text('anything', /^/),
    doc: 'Readable lines without colours, even on a terminal (see no-color.org).',
  },
} as const satisfies Record<string, Variable>;

type Variables = typeof VARIABLES;

type ValueOf<V extends Variable, R extends Role> =
  | z.output<V['schema']>
  | (V extends { default: unknown }
      ? never
      : V extends { required: true }
        ? R extends 'cli'
          ? undefined
          : never
        : undefined);

/** The checked values that a role reads, by the keys of `VARIABLES`. */
export type Config<R extends Role> = {
  [K in keyof Variables as R extends Variables[K]['roles'][number] ? K : never]: ValueOf<Variables[K], R>;
};
