import type { LeaseScripts } from './lease-scripts.ts';
import { FREE, type LeaseTable, type LeaseWord, LOST } from './lease-table.ts';

export interface RenewalOptions {
  table: LeaseTable;
  scripts: Pick<LeaseScripts, 'renew'>;
  leaseMs: number;
  /** The main loop must have beaten within this time, or nothing is renewed. */
  maxBlockMs: number;
  nowMs: () => number;
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
 * One pass over the leases of the process: renews those that may be renewed, and marks those that Redis knows
 * no more, or that are past their deadline, as lost. Returns how many were lost. Rejects when Redis does not
 * answer; the deadlines then stand.
 */
export async function renewLeases(options: RenewalOptions): Promise<number> {
  const { table, nowMs, maxBlockMs } = options;
  let lost = markExpired(table, nowMs());
  if (nowMs() - table.beatMs() > maxBlockMs) return lost;
  const due = dueLeases(table, nowMs());
  for (let start = 0; start < due.length; start += BATCH)
    lost += await renewBatch(options, due.slice(start, start + BATCH));
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

async function renewBatch({ table, scripts, leaseMs, nowMs }: RenewalOptions, batch: Due[]): Promise<number> {
  // From before the call: Redis counts from its arrival, so that the lease never ends there before it does here.
  const sentMs = nowMs();
  const renewed = await scripts.renew(batch, leaseMs);
  let lost = 0;
  for (const [place, { index, word }] of batch.entries()) {
    const isOurs = renewed[place] === 1;
    // The swap fails where the lease was released meanwhile.
    const swapped = table.swap(index, word, { ...word, deadlineMs: isOurs ? sentMs + leaseMs : LOST });
    if (swapped && !isOurs) lost += 1;
  }
  return lost;
}
