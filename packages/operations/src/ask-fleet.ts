import {
  EscapementError,
  type FleetRequest,
  fleetAnswers,
  formatSpan,
  MINUTE,
  SECOND,
  type SeenLease,
} from '@escapement/core';
import { type Database, type DriftFound, putRequest, readAnswer } from '@escapement/store';

/** How often an answer is looked for. */
const POLL_MS = 50;
const LOOK_MS = 3 * SECOND;
/** All of a large queue takes a while. */
const COMPARE_MS = 1 * MINUTE;

interface Asking {
  who: string;
  patienceMs: number;
}

/**
 * The leases in Redis, of one key or of all. Throws `no_scheduler_answers`, or what the scheduler met:
 * `redis_unreachable`.
 */
export async function listFleetLeases(db: Database, key: string | undefined, who: string): Promise<SeenLease[]> {
  const answer = await ask(db, { kind: 'list_leases', key: key ?? null }, { who, patienceMs: LOOK_MS });
  return fleetAnswers.list_leases.parse(answer);
}

/**
 * Brings Redis up to date about a key that was released in the ledger. Only faster than waiting for it: workers take the
 * lease of a run that is over, and the reconciler adds the jobs that are missing. Returns whether a lease was ended;
 * throws as `listFleetLeases`.
 */
export async function tidyKey(
  db: Database,
  { lease, woken }: Omit<Extract<FleetRequest, { kind: 'tidy_key' }>, 'kind'>,
  who: string,
): Promise<boolean> {
  const answer = await ask(db, { kind: 'tidy_key', lease, woken }, { who, patienceMs: LOOK_MS });
  return fleetAnswers.tidy_key.parse(answer);
}

/** Where queue and leases differ from the ledger, now. Changes nothing; throws as `listFleetLeases`. */
export async function compareQueue(db: Database, who: string): Promise<DriftFound[]> {
  return fleetAnswers.compare_queue.parse(await ask(db, { kind: 'compare_queue' }, { who, patienceMs: COMPARE_MS }));
}

async function ask(db: Database, request: FleetRequest, { who, patienceMs }: Asking): Promise<unknown> {
  const id = await putRequest(db, { request, who, patienceMs });
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    const result = await readAnswer(db, id);
    if (result && 'error' in result) throw result.error;
    if (result) return result.answer;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new EscapementError('no_scheduler_answers', `no scheduler has answered within ${formatSpan(patienceMs)}`, {
    fix: 'is one alive? see `escapement doctor`',
  });
}
