import { createHash, randomUUID } from 'node:crypto';
import { admitInstant, isInstantMs, nearestInstant } from './instant.ts';

/**
 * A UUIDv7 (RFC 9562, 5.7) whose 48-bit time is the run's `scheduled_for`: the id alone says in
 * which partition the run lies. `random`: ten bytes, to be used in place of random ones. Throws `bad_instant`.
 */
export function newRunId(scheduledFor: Date, random?: Uint8Array): string {
  const time = admitInstant(scheduledFor, 'the time of a run').getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random ? tailOf(random) : randomTail()}`;
}

/** The id of a run that belongs to a worker, of the same instant as another id: always the same. */
export function runIdOn(runId: string, worker: string): string {
  return newRunId(scheduledForOf(runId), createHash('sha256').update(`${runId} ${worker}`).digest().subarray(0, 10));
}

function tailOf(random: Uint8Array): string {
  const tail = Buffer.from(random);
  tail[2] = ((tail[2] ?? 0) & 0x3f) | 0x80;
  const hex = tail.toString('hex');
  return `${hex.slice(1, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}

/** What follows the version of a random UUID. Node draws those from a pool: a fifth of what ten bytes cost. */
function randomTail(): string {
  return randomUUID().slice(15);
}

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isRunId(text: string): boolean {
  return RUN_ID.test(text) && isInstantMs(msOf(text));
}

/** The `scheduled_for` a run id carries; of a UUID that is no run's, an instant at which that run is not found. */
export function scheduledForOf(runId: string): Date {
  return nearestInstant(msOf(runId));
}

function msOf(runId: string): number {
  return Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);
}
