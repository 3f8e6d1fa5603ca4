/** The ways in which a ledger can turn out to be a copy, or to have lost its last commits; see docs/how-to/back-up-and-restore.md. */
export const LEDGER_MOVES = {
  cluster: 'the ledger is in another Postgres cluster than before, as after a restore into a new server or an upgrade',
  timeline:
    'Postgres is on another timeline than before, as after a failover or a restore to a point in time: its last commits may be missing',
  tables: 'the tables of the ledger were made anew, as pg_restore does',
  back: 'Postgres has less written than it had before, as after an older copy of its disk was put back: its last commits are missing',
} as const;

export type LedgerMove = keyof typeof LEDGER_MOVES;

/** Where a ledger was, as it was noted. `place`: system identifier/timeline/tables, as the SQL function `ledger_place` says it. */
export interface LedgerPlace {
  place: string;
  /** How much Postgres had safely written: a position in its log, such as `0/16B3748`. */
  lsn: string;
}

export interface LedgerPlaces {
  /** What Postgres says now; null: it does not say. */
  here: LedgerPlace | null;
  /** The place that a row of the ledger itself has; null: none yet. */
  noted: string | null;
  /** What was left outside of Postgres a moment ago; null: it was lost. */
  outside: LedgerPlace | null;
}

/** How the ledger came to be where it is; null: it is where it was. */
export function judgeLedgerMove({ here, noted, outside }: LedgerPlaces): LedgerMove | null {
  if (here === null) return null;
  if (noted !== null && noted !== here.place) return partThatDiffers(noted, here.place);
  if (outside === null) return null;
  // Another ledger that uses the same Redis leaves its own: positions of different logs cannot be compared.
  if (outside.place === here.place) return position(outside.lsn) > position(here.lsn) ? 'back' : null;
  // The row that has the place may be among what was lost.
  return isOnEarlierTimeline(outside.place, here.place) ? 'timeline' : null;
}

/** Timelines are eight hexadecimal digits. */
function isOnEarlierTimeline(one: string, other: string): boolean {
  const [system, timeline = '', tables] = one.split('/');
  const [otherSystem, otherTimeline = '', otherTables] = other.split('/');
  return system === otherSystem && tables === otherTables && timeline < otherTimeline;
}

function partThatDiffers(one: string, other: string): LedgerMove {
  const [system, timeline] = one.split('/');
  const [otherSystem, otherTimeline] = other.split('/');
  if (system !== otherSystem) return 'cluster';
  return timeline === otherTimeline ? 'tables' : 'timeline';
}

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;

/** 0 for what is no position. */
function position(lsn: string): bigint {
  const [, high, low] = LSN.exec(lsn) ?? [];
  return high === undefined || low === undefined ? 0n : BigInt(`0x${high}`) * 0x1_0000_0000n + BigInt(`0x${low}`);
}
