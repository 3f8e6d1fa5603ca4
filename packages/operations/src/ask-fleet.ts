import {
  type By,
  EscapementError,
  type FleetAnswerOf,
  type FleetRequest,
  fleetAnswers,
  formatSpan,
  MINUTE,
  SECOND,
  type SeenLease,
} from '@escapement/core';
import {
  type Database,
  type DriftFound,
  explainHindrance,
  listProcesses,
  putRequest,
  readAnswer,
} from '@escapement/store';
import { permitInNamespace } from './rights/permit.ts';

/** An answer is looked for after POLL_MS, then each time after twice as long, at most SLOW_POLL_MS. Most come within 10 ms. */
const POLL_MS = 4;
const SLOW_POLL_MS = 64;
const LOOK_MS = 3 * SECOND;
/** All of a large queue takes a while. */
const COMPARE_MS = 1 * MINUTE;

interface Asking {
  by: By;
  patienceMs: number;
}

/**
 * The leases in Redis, of one key or of all. Throws `no_scheduler_answers`, or what the scheduler met:
 * `redis_unreachable`.
 */
export async function listFleetLeases(db: Database, key: string | undefined, by: By): Promise<SeenLease[]> {
  await permitInNamespace(db, by, 'read', { action: 'look', subject: { key: key ?? '*' }, what: 'the leases of keys' });
  const answer = await ask(db, { kind: 'list_leases', key: key ?? null }, { by, patienceMs: LOOK_MS });
  return fleetAnswers.list_leases.parse(answer);
}

/**
 * Brings Redis up to date about a key that was released in the ledger. Only faster than waiting for it: workers take the
 * lease of a run that is over, and the reconciler adds the jobs that are missing. Returns whether a lease was ended;
 * throws as `listFleetLeases`. Only for who was permitted to release the key.
 */
export async function tidyKey(
  db: Database,
  { lease, woken }: Omit<Extract<FleetRequest, { kind: 'tidy_key' }>, 'kind'>,
  by: By,
): Promise<boolean> {
  const answer = await ask(db, { kind: 'tidy_key', lease, woken }, { by, patienceMs: LOOK_MS });
  return fleetAnswers.tidy_key.parse(answer);
}

/** Where queue and leases differ from the ledger, now. Changes nothing; throws as `listFleetLeases`. */
export async function compareQueue(db: Database, by: By): Promise<DriftFound[]> {
  await permitInNamespace(db, by, 'read', { action: 'look', subject: { request: 'compare_queue' }, what: 'the queue' });
  return fleetAnswers.compare_queue.parse(await ask(db, { kind: 'compare_queue' }, { by, patienceMs: COMPARE_MS }));
}

/** What each Redis of the fleet is like, as a scheduler sees it. Throws as `listFleetLeases`, and at once where no scheduler is alive. */
export async function inspectFleetRedis(
  db: Database,
  { deadMs, by }: { deadMs: number; by: By },
): Promise<FleetAnswerOf<'inspect_redis'>> {
  const what = 'the Redis of the fleet';
  await permitInNamespace(db, by, 'read', { action: 'look', subject: { request: 'inspect_redis' }, what });
  await requireScheduler(db, deadMs);
  return fleetAnswers.inspect_redis.parse(await ask(db, { kind: 'inspect_redis' }, { by, patienceMs: LOOK_MS }));
}

/** Throws `no_scheduler_answers` at once where none is alive. */
export async function requireScheduler(db: Database, deadMs: number): Promise<void> {
  const alive = await listProcesses(db, { withinMs: deadMs });
  if (alive.some(({ role }) => role === 'scheduler')) return;
  throw new EscapementError('no_scheduler_answers', 'no scheduler is alive', { fix: 'start one' });
}

/** Takes away what other programs have done to the queues of a pool. Throws as `listFleetLeases`. Only for who was permitted to. */
export async function openPoolInRedis(db: Database, pool: string, by: By): Promise<boolean> {
  return fleetAnswers.open_pool.parse(await ask(db, { kind: 'open_pool', pool }, { by, patienceMs: LOOK_MS }));
}

/** A scheduler finds what it is asked in the database. */
function onlyRead(): EscapementError {
  return new EscapementError('no_scheduler_answers', 'no scheduler can be asked where Postgres can only be read', {
    fix: 'name the primary in DATABASE_URL',
  });
}

async function ask(db: Database, request: FleetRequest, { by, patienceMs }: Asking): Promise<unknown> {
  const id = await putRequest(db, { request, by, patienceMs }).catch((error: unknown) => {
    throw explainHindrance(error, db)?.code === 'database_read_only' ? onlyRead() : error;
  });
  for (let waitedMs = 0, pollMs = POLL_MS; waitedMs < patienceMs; pollMs = Math.min(2 * pollMs, SLOW_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    waitedMs += pollMs;
    const result = await readAnswer(db, id);
    if (result && 'error' in result) throw result.error;
    if (result) return result.answer;
  }
  throw new EscapementError('no_scheduler_answers', `no scheduler has answered within ${formatSpan(patienceMs)}`, {
    fix: 'is one alive? see `escapement doctor`',
  });
}
