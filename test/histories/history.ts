import { DAY, EscapementError, HOUR, type Random, SECOND, seededRandom } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import {
  askBulk,
  cancelRun,
  deleteTask,
  freezeFleet,
  type LedgerFinding,
  pauseTask,
  resumeTask,
  saveCalendar,
  saveTask,
  skipOccurrences,
  unfreezeFleet,
  verifyLedger,
} from '@escapement/operations';
import type { Database } from '@escapement/store';
import { by } from '@escapement/testkit';
import type { HeldDatabase } from './held-database.ts';
import { createHeldFleet } from './held-fleet.ts';
import { CALENDARS, randomCalendar, randomTask, TEAMS } from './random-task.ts';

/** Tasks of a history: what is done to one is its own history. They share outages and calendars. */
export const TASKS_EACH = 10;
const STEPS = 70;
const BY = by('chance');
const FREEZER = by('chance', 'the shop is released');

/** Findings that are no gap: what is late, or still to come, is said as it is. */
export function isAlarm({ kind }: Pick<LedgerFinding, 'kind'>): boolean {
  return kind !== 'late' && kind !== 'not_started' && kind !== 'unplanned';
}

export interface History {
  db: Database;
  tasks: string[];
  /** Since when it goes on. */
  from: Date;
  /** What the ledger verification said though nothing was wrong. */
  alarms: string[];
  random: Random;
}

/** What befalls the tasks of a fleet in some minutes, by chance; looked at again and again while it goes on. */
export async function liveThrough(held: HeldDatabase, seed: number): Promise<History> {
  const random = seededRandom(seed);
  const db = held.open(`history-${seed}`);
  await held.moveTo(startOf(random, seed));
  // The first tasks are saved at this very instant.
  const from = new Date(held.now().getTime() - 1);
  const tasks = Array.from({ length: TASKS_EACH }, (_, index) => `task-${index}`);
  const fleet = createHeldFleet(db, held, random);
  const alarms: string[] = [];
  for (const name of CALENDARS) await saveCalendar(db, name, randomCalendar(random, held.now()), BY);
  for (const name of tasks)
    await action(() => saveTask(db, randomTask(name, random, held.now()), { source: 'cli', by: BY }));
  for (let step = 0; step < STEPS; step++) {
    await fleet.pass(Math.floor(random.next() * 1.8 * SECOND) + 1);
    if (random.next() < 0.5) await fleet.meanwhile((now) => happen({ db, random, tasks, now }));
    if (random.next() < 0.06) await fleet.outage();
    if (random.next() < 0.15) alarms.push(...(await look(db, { from, to: held.now() })));
  }
  // Long enough that all of it is looked at.
  for (let step = 0; step < 12; step++) await fleet.pass(1 * SECOND);
  alarms.push(...(await look(db, { from, to: held.now() })));
  return { db, tasks, from, random, alarms: [...new Set(alarms)].map((alarm) => `seed ${seed}: ${alarm}`) };
}

const FIRST_DAY = Date.UTC(2027, 2, 1);

/** Each seed has a day of its own: shortly before a full hour, or midnight. */
function startOf(random: Random, seed: number): Date {
  const hour = random.next() < 0.3 ? 24 : 1 + Math.floor(random.next() * 20);
  return new Date(FIRST_DAY + seed * DAY + hour * HOUR - Math.floor(random.next() * 90 * SECOND));
}

export async function findings(db: Database, window: { from: Date; to: Date }): Promise<LedgerFinding[]> {
  const found: LedgerFinding[] = [];
  await verifyLedger(db, { ...window, onFinding: (finding) => void found.push(finding) });
  return found;
}

async function look(db: Database, window: { from: Date; to: Date }): Promise<string[]> {
  return (await findings(db, window))
    .filter(isAlarm)
    .map(({ task, kind, scheduledFor, detail }) => `${task} ${scheduledFor.toISOString()} ${kind}: ${detail}`);
}

interface Scene {
  db: Database;
  random: Random;
  tasks: readonly string[];
  now: Date;
}

/** What a person does to a task, to those of a label, to all, or to a calendar. Much of it is refused: there is no such task, or nothing to skip. */
async function happen({ db, random, tasks, now }: Scene): Promise<void> {
  const name = random.pick(tasks);
  const later = () => new Date(now.getTime() + 1 + Math.floor(random.next() * 30 * SECOND));
  const save = (effectiveAt?: Date) =>
    saveTask(db, randomTask(name, random, now), { source: 'cli', by: BY, ...(effectiveAt ? { effectiveAt } : {}) });
  const labels = parseSelector(`team=${random.pick(TEAMS)}`);
  const actions: (() => Promise<unknown>)[] = [
    () => save(),
    () => save(),
    () => save(later()),
    () => deleteTask(db, name, BY),
    () => pauseTask(db, name, random.next() < 0.5 ? null : later(), BY),
    () => resumeTask(db, name, BY),
    () => resumeTask(db, name, BY),
    () => skipOccurrences(db, name, 1 + Math.floor(random.next() * 3), BY),
    () => saveCalendar(db, random.pick(CALENDARS), randomCalendar(random, now), BY),
    () => cancelOne(db, name, random),
    () => askBulk(db, { action: 'pause', labels, untilAt: random.next() < 0.7 ? later() : null }, BY),
    () => askBulk(db, { action: 'resume', labels }, BY),
    () => freezeFleet(db, random.next() < 0.7 ? later() : null, FREEZER),
    () => unfreezeFleet(db, BY),
  ];
  await action(random.pick(actions));
}

async function cancelOne(db: Database, name: string, random: Random): Promise<void> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT r.id FROM run r JOIN task t ON t.id = r.task_id WHERE t.namespace = $1 AND t.name = $2
       AND r.state IN ('queued', 'planned', 'waiting', 'held') ORDER BY r.scheduled_for`,
    [db.namespace, name],
  );
  if (rows.length > 0) await cancelRun(db, random.pick(rows).id, BY);
}

async function action(what: () => Promise<unknown>): Promise<void> {
  try {
    await what();
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
  }
}
