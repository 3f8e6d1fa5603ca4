import { MINUTE, SECOND } from '@escapement/core';
import { wholeNumber } from './values.ts';
import { ALL, APPS, type Variable } from './variable.ts';

/** How the connections to Postgres behave. */
export const DATABASE_VARIABLES = {
  databaseConnections: {
    env: 'ESCAPEMENT_DATABASE_CONNECTIONS',
    section: 'Postgres',
    roles: APPS,
    schema: wholeNumber(1, 100),
    // Lists of an API are less urgent than runs: more at once would keep the processors of a small Postgres from the fleet.
    default: { scheduler: '4', worker: '4', api: '2' },
    doc: 'Connections at most in each of the two pools of a process: one for the steps of runs and what is looked up by key, one for all else. More let an API answer more long lists at once, at the cost of the fleet. One more connection listens for notifications (`LISTEN`), and one is for the heartbeat.',
  },
  statementTimeoutMs: {
    env: 'ESCAPEMENT_STATEMENT_TIMEOUT_MS',
    section: 'Postgres',
    roles: ALL,
    schema: wholeNumber(1 * SECOND, 10 * MINUTE),
    unit: 'ms',
    default: String(30 * SECOND),
    doc: 'How long Postgres may work on a statement (`statement_timeout`). 5 s later a process gives up waiting for the answer and replaces the connection, which may have been cut without a sign.',
  },
  lockTimeoutMs: {
    env: 'ESCAPEMENT_LOCK_TIMEOUT_MS',
    section: 'Postgres',
    roles: ALL,
    schema: wholeNumber(100, MINUTE),
    unit: 'ms',
    default: String(5 * SECOND),
    doc: 'How long a statement may wait for a lock, such as that of an ALTER TABLE (`lock_timeout`). It is tried again later.',
  },
  idleInTransactionTimeoutMs: {
    env: 'ESCAPEMENT_IDLE_IN_TRANSACTION_TIMEOUT_MS',
    section: 'Postgres',
    roles: ALL,
    schema: wholeNumber(500, MINUTE),
    unit: 'ms',
    default: String(2 * SECOND),
    doc: 'After how long Postgres ends a session that left a transaction open, because its process is frozen or cut off (`idle_in_transaction_session_timeout`): nobody else could touch the rows it has locked.',
  },
} as const satisfies Record<string, Variable>;
