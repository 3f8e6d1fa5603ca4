import { clocksOff } from './clocks.ts';
import type { Fault } from './fault.ts';
import { cutFromPostgres, cutFromRedis, repliesLost } from './network.ts';
import { diskFull, tooManyConnections } from './no-room.ts';
import {
  dumped,
  idleTransaction,
  maintenanceKilled,
  openReader,
  reindexed,
  vacuumed,
  weekBorder,
} from './operations.ts';
import { ledgerLocked, postgresKilled, postgresSlow, sessionsTerminated } from './postgres.ts';
import { redisFailedOver, redisFlushed, redisFrozen, redisFull, redisKilled, redisReadOnly } from './redis.ts';
import { schedulerFrozen, schedulersKilled, schedulersKilledInShort, workersKilled } from './schedulers.ts';
import { crashingTask, deliveredTwice, logFlood, planSetBack, poisonTask, thunderingHerd } from './work.ts';
import { rollingRestart, stoppedWithoutRedis, workerBlocked, workerFrozen, workerKilled } from './workers.ts';

export { during, type Fault, type Injury, lookFor, nowMs, type Scene } from './fault.ts';
export { redisFlushed } from './redis.ts';
export { insertRuns, planSetBack } from './work.ts';
export { SMALL_MAX_BLOCK } from './workers.ts';

/** What processes suffer, and what the work itself does to them; of the kills after each step, some. */
export const PROCESS_FAULTS: readonly Fault[] = [
  workerKilled,
  deliveredTwice,
  workerFrozen,
  ...clocksOff,
  workerBlocked,
  planSetBack,
  poisonTask,
  crashingTask,
  logFlood,
  ...schedulersKilledInShort,
  schedulerFrozen,
  rollingRestart,
];

/** What servers and the network suffer. */
export const SERVER_FAULTS: readonly Fault[] = [
  redisFlushed,
  redisKilled,
  redisFrozen,
  redisReadOnly,
  redisFull,
  redisFailedOver,
  stoppedWithoutRedis,
  cutFromRedis,
  cutFromPostgres,
  ...repliesLost,
  postgresKilled,
  sessionsTerminated,
  ledgerLocked,
  postgresSlow,
  thunderingHerd,
];

/** What those who look after Postgres do, and what they overlook. */
const OPERATION_FAULTS: readonly Fault[] = [
  openReader,
  dumped,
  idleTransaction,
  maintenanceKilled,
  vacuumed,
  reindexed,
  weekBorder,
  tooManyConnections,
  diskFull,
];

/** A process dies right after each step that others can see. */
export const KILL_FAULTS: readonly Fault[] = [...schedulersKilled, ...workersKilled];

/** Each once. */
export const ALL_FAULTS: readonly Fault[] = [
  ...new Set([...PROCESS_FAULTS, ...SERVER_FAULTS, ...OPERATION_FAULTS, ...KILL_FAULTS]),
];
