import { LEASE_GONE_SHARE } from '@escapement/core/basics';
import type { LeaseScripts } from './lease-scripts.ts';
import { FREE, type LeaseTable, type LeaseWord, LOST } from './lease-table.ts';

export interface RenewalOptions {
  table: LeaseTable;
  scripts: Pick<LeaseScripts, 'renew'>;
  leaseMs: number;
  /** The main loop must have given a sign of life within this time, or nothing is renewed. */
  maxBlockMs: number;
  nowMs: () => number;
  marker: RenewalMarker;
}

/** The sign that this process leaves in Redis at each renewal; gone together with its leases where Redis forgot. */
export interface RenewalMarker {
  redisKey: string;
  /** When it was set last, on the scale of `nowMs`; null: not yet. */
  setMs: number | null;
  /** Now as ISO 8601. */
  iso: () => string;
}

/** Leases of one call: at 10 us each Redis is busy for 5 ms. */
const BATCH = 500;

interface Due {
  index: number;
  word: LeaseWord;
  redisKey: string;
  owner: string;
}

/**
 * One pass over the leases of the process: renews those that may be renewed, takes those anew that Redis has forgotten and
 * nobody else has, and marks those that somebody has taken away, or that are past their deadline, as lost. Returns how many were lost. Rejects when Redis does not
 * answer; the deadlines then stand.
 */
export async function renewLeases(options: RenewalOptions): Promise<number> {
  const { table, nowMs, maxBlockMs } = options;
  let lost = markExpired(table, nowMs());
  if (nowMs() - table.loopAliveMs() > maxBlockMs) return lost;
  const due = dueLeases(table, nowMs());
  let forgot = false;
  for (let start = 0; start < due.length; start += BATCH) {
    const renewed = await renewBatch(options, due.slice(start, start + BATCH), forgot);
    lost += renewed.lost;
    forgot = renewed.forgot;
  }
  return lost;
}

function markExpired(table: LeaseTable, nowMs: number): number {
  let lost = 0;
  for (let index = 0; index < table.capacity; index++) {
    const word = table.word(index);
    if (word.deadlineMs <= LOST || word.deadlineMs > nowMs) continue;
    if (table.swap(index, word, { ...word, deadlineMs: LOST })) lost += 1;
  }
  return lost;
}

function dueLeases(table: LeaseTable, nowMs: number): Due[] {
  const due: Due[] = [];
  for (let index = 0; index < table.capacity; index++) {
    const word = table.word(index);
    if (word.deadlineMs <= LOST || table.renewUntilMs(index) < nowMs) continue;
    const text = table.text(index);
    // Another lease may have taken the place while the text was read.
    const again = table.word(index);
    if (again.deadlineMs !== FREE && again.generation === word.generation) due.push({ index, word, ...text });
  }
  return due;
}

async function renewBatch(options: RenewalOptions, batch: Due[], knownForgot: boolean) {
  const { table, scripts, leaseMs, nowMs, marker } = options;
  // From before the call: Redis counts from its arrival, so that the lease never ends there before it does here.
  const sentMs = nowMs();
  const hasMarker = marker.setMs !== null && sentMs - marker.setMs < leaseMs;
  const asked = batch.map((each) => ({ ...each, mayRetake: hasMarker && isFresh(each.word, sentMs, leaseMs) }));
  const { leases, forgot } = await scripts.renew(asked, {
    redisKey: marker.redisKey,
    since: marker.iso(),
    forgot: knownForgot,
    leaseMs,
  });
  marker.setMs = sentMs;
  let lost = 0;
  for (const [place, { index, word }] of batch.entries()) {
    // An answer that comes too late may be of a time when others already took the run for lost.
    const isOurs = leases[place] === 'renewed' || (leases[place] === 'retaken' && isFresh(word, nowMs(), leaseMs));
    // The swap fails where the lease was released meanwhile.
    const swapped = table.swap(index, word, { ...word, deadlineMs: isOurs ? sentMs + leaseMs : LOST });
    if (swapped && !isOurs) lost += 1;
  }
  return { lost, forgot };
}

/** Whether the lease was there so lately that nobody can have found it gone for as long as makes its run a lost one. */
function isFresh({ deadlineMs }: LeaseWord, nowMs: number, leaseMs: number): boolean {
  return nowMs - (deadlineMs - leaseMs) < leaseMs * LEASE_GONE_SHARE;
}
