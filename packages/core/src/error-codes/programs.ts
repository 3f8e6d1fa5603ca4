import type { ErrorText } from './error-text.ts';

/** Programs, their configuration, Postgres and Redis. */
export const PROGRAMS_ERRORS = {
  bad_configuration: {
    when: 'variables of the environment are wrong; all are listed',
    fix: 'correct them; see configuration.md',
  },
  bad_egress: { when: 'an entry of the open addresses cannot be read', fix: 'write it as configuration.md says' },
  bad_exporter: {
    when: '`ESCAPEMENT_OTEL` names a module that cannot be used',
    fix: 'use `otlp`, or a module that exports a `SpanExporter`',
  },
  bad_redis_url: {
    when: 'what was given is not the URL of a Redis',
    fix: 'give `redis://HOST:6379` or `rediss://HOST:6379`',
  },
  bad_role_prefix: {
    when: 'the prefix of the roles in Postgres is not allowed',
    fix: 'give 1 to 40 of `a` to `z`, `0` to `9` and `_`, beginning with a letter',
  },
  bad_sampler: { when: '`OTEL_TRACES_SAMPLER` is not known', fix: 'use one of the samplers that are named' },
  bad_secrets: { when: 'an entry of `ESCAPEMENT_SECRETS` cannot be read', fix: 'write it as configuration.md says' },
  capabilities_missing: {
    when: 'the worker is root without the capabilities that it needs',
    fix: 'give it those that are named',
  },
  database_busy: {
    when: 'Postgres could not carry out a command: a lock, a time limit, no room',
    fix: 'try again, or do what the message says',
  },
  database_pools_transactions: {
    when: 'a pooler before Postgres pools transactions, not sessions',
    fix: 'set `pool_mode = session`, or connect to Postgres itself',
  },
  database_read_only: {
    when: 'the command changes something, and `DATABASE_URL` names a standby',
    fix: 'name the primary in `DATABASE_URL`',
  },
  database_refused: { when: 'Postgres refuses the user or the password', fix: 'correct them in `DATABASE_URL`' },
  database_rights: {
    when: 'the user of Postgres lacks a right',
    fix: 'run `escapement migrate --roles`; see database-roles.md',
  },
  database_unreachable: { when: 'Postgres does not answer', fix: 'start it, or correct the address' },
  fleet_alive: { when: 'programs work on a restored ledger already', fix: 'stop them all, and try again' },
  fleet_busy: {
    when: 'a test fleet did not come to rest in time',
    fix: 'let the handler end, or give more `patienceMs`',
  },
  fleet_start_failed: {
    when: 'a task that runs at the start of the fleet could not be started',
    fix: 'save the task again',
  },
  function_failed: {
    when: 'a function of the database could not be created',
    fix: 'correct the cause that is named, and migrate again',
  },
  function_misnamed: {
    when: 'a file of a function does not hold that function alone',
    fix: 'one file, one function, named alike',
  },
  health_address: { when: 'the health server cannot listen on its address', fix: 'correct `ESCAPEMENT_HEALTH_HOST`' },
  health_port_taken: {
    when: 'another process listens on the port of the health server',
    fix: 'set `ESCAPEMENT_HEALTH_PORT` to another port, `0` or `off`',
  },
  ledger_restored: { when: 'the database was restored from a dump', fix: 'run `escapement restore-check`' },
  may_not_create_roles: {
    when: 'this user of Postgres may not create roles',
    fix: 'create them by hand as the message says',
  },
  migration_changed: {
    when: 'a migration was changed after it was applied',
    fix: 'restore the file, and put the change into a new migration',
  },
  migration_failed: {
    when: 'a migration failed; nothing of it was kept',
    fix: 'correct the cause that is named, and migrate again',
  },
  migration_missing: { when: 'a migration has no file that can be read', fix: 'restore the file' },
  migration_of_another_history: {
    when: 'the database was migrated by another product or history',
    fix: 'use an empty database',
  },
  migration_unfinished: {
    when: 'a migration was begun and never ended',
    fix: 'look at what it left, and resolve it as the message says',
  },
  missing_migrations: { when: 'the database lacks migrations of this version', fix: 'run `escapement migrate`' },
  no_database: { when: 'the database does not exist', fix: 'run `escapement migrate --create-database`' },
  bad_dev_file: {
    when: '`.escapement/dev.json`, which names the servers of a fleet for development, cannot be read',
    fix: 'delete it, and start that fleet again',
  },
  system_refused: {
    when: 'the operating system refused something: a file, a folder, a process, memory',
    fix: 'do as the reason says that is named',
  },
  no_database_named: { when: 'no database is named', fix: 'set `DATABASE_URL`, or start `escapement dev`' },
  no_migrations: { when: 'this copy of Escapement has no migrations', fix: 'install it again' },
  no_transaction: { when: 'the connection that was given is in no transaction', fix: 'run `BEGIN` on it first' },
  other_database: {
    when: "the transaction is in another database than the client's ledger",
    fix: 'use a connection to the same database',
  },
  program_too_old: { when: 'the database serves newer programs only', fix: 'install the version that is named' },
  other_redis: {
    when: 'other programs of the namespace use another Redis',
    fix: 'give all of them the same `REDIS_URL`; to move, stop all first',
  },
  redis_cluster: {
    when: 'Redis is a cluster, which Escapement does not speak to',
    fix: 'use a single Redis, or one with sentinels',
  },
  redis_evicts: { when: 'Redis may drop data when it is full', fix: 'set `maxmemory-policy noeviction`' },
  redis_refused: { when: 'Redis refuses the user, the password or a command', fix: 'correct them in `REDIS_URL`' },
  redis_unreachable: { when: 'Redis does not answer', fix: 'start it, or correct the address' },
  roles_failed: {
    when: 'the roles in Postgres could not be set up',
    fix: 'correct the cause that is named, and try again',
  },
  run_as_not_permitted: {
    when: 'the worker cannot run tasks as the user of `ESCAPEMENT_RUN_AS`',
    fix: 'start the worker as root, or leave the variable out',
  },
  too_many_leases: {
    when: 'a process holds as many leases as it can',
    fix: "lower the worker's concurrency, or start more workers",
  },
} as const satisfies Record<string, ErrorText>;
