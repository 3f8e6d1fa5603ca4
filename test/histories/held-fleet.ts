import { ManualClock, MINUTE, type Random, SECOND } from '@escapement/core';
import { createChanger, createMisfires, createPlanner } from '@escapement/scheduler';
import { type Database, LEDGER_REPAIRS, writeHeartbeat } from '@escapement/store';
import type { HeldDatabase } from './held-database.ts';
import { carryOutRequests } from './requests.ts';
import { createWorkforce, type Workforce } from './workforce.ts';

const SCHEDULER = { id: '', role: 'scheduler', host: 'test', pid: 1, appVersion: '0', pools: [] } as const;

export const BOTH = { schedulers: true, workers: true };
export const NEITHER = { schedulers: false, workers: false };

/** A scheduler and workers whose time stands still between their passes. */
export function createHeldFleet(db: Database, held: HeldDatabase, random: Random) {
  const errors: unknown[] = [];
  const clock = new ManualClock(held.now());
  const dispatcher = { enqueue: async () => [] };
  const common = { db, dispatcher, clock, emit: () => undefined, onError: (error: unknown) => void errors.push(error) };
  const repeatable = random.next() < 0.5 ? { fromMs: 0, toMs: 10 * SECOND } : { fromMs: 0, toMs: 0 };
  const planner = createPlanner({
    ...common,
    horizonMs: 10 * SECOND,
    repeatable,
    mayWork: () => true,
    onPass: () => undefined,
  });
  const loops = [createChanger(common), planner, createMisfires(common)];
  const workforce: Workforce = createWorkforce(db, random);

  async function schedulers(): Promise<void> {
    await carryOutRequests(db);
    for (const loop of loops) await loop.runOnce();
    for (const repair of LEDGER_REPAIRS) {
      const finding = await repair.find(db, { limit: 100, deadMs: 10 * SECOND });
      await finding.fix();
    }
    await workforce.findLost(held.now());
    await writeHeartbeat(
      db,
      { ...SCHEDULER, id: `scheduler-${db.namespace}` },
      { activeRuns: [], clockOffsetMs: 0, plannedAgeMs: 0 },
    );
  }

  async function pass(ms: number, who: { schedulers: boolean; workers: boolean } = BOTH): Promise<void> {
    await held.moveTo(new Date(held.now().getTime() + ms));
    if (who.schedulers) await schedulers();
    if (who.workers) await workforce.work(held.now());
    if (errors.length > 0) throw errors[0];
  }

  return {
    pass,
    /** At an instant of its own. */
    async meanwhile(what: (now: Date) => Promise<void>): Promise<void> {
      await held.moveTo(new Date(held.now().getTime() + 1));
      await what(held.now());
    },
    async outage(): Promise<void> {
      const who = random.pick([
        NEITHER,
        NEITHER,
        { schedulers: true, workers: false },
        { schedulers: false, workers: true },
      ]);
      if (!who.workers && random.next() < 0.5) workforce.vanish();
      const spanMs = Math.floor(
        random.pick([5 * SECOND, 40 * SECOND, 70 * SECOND, 10 * MINUTE]) * (0.5 + random.next()),
      );
      const pieces = who === NEITHER ? 1 : 4;
      for (let piece = 0; piece < pieces; piece++) await pass(Math.ceil(spanMs / pieces), who);
      await pass(1 + Math.floor(random.next() * 500));
    },
  };
}
