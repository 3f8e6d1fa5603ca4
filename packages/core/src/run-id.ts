import { createHash, randomUUID } from 'node:crypto';
import { EscapementError } from './errors.ts';

const MAX_TIME = 2 ** 48 - 1;

/**
 * A UUIDv7 (RFC 9562, 5.7) whose 48-bit time is the run's `scheduled_for`: the id alone says in
 * which partition the run lies. `random`: ten bytes, to be used in place of random ones. Throws `bad_instant` for what
 * 48 bits cannot hold.
 */
export function newRunId(scheduledFor: Date, random?: Uint8Array): string {
  const ms = scheduledFor.getTime();
  if (!(ms >= 0 && ms <= MAX_TIME)) throw outOfRange(scheduledFor);
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random ? tailOf(random) : randomTail()}`;
}

/** The id of a run that belongs to a worker, of the same instant as another id: always the same. */
export function runIdOn(runId: string, worker: string): string {
  return newRunId(scheduledForOf(runId), createHash('sha256').update(`${runId} ${worker}`).digest().subarray(0, 10));
}

function outOfRange(at: Date): EscapementError {
  const when = Number.isNaN(at.getTime()) ? 'no instant at all' : at.toISOString();
  return new EscapementError('bad_instant', `a run is due at ${when}, which no id of a run can hold`, {
    fix: 'give an instant from 1970 to 9999',
  });
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
  return RUN_ID.test(text);
}

/** The `scheduled_for` a run id carries. */
export function scheduledForOf(runId: string): Date {
  return new Date(Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16));
}
