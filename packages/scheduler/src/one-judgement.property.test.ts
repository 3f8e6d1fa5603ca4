import { HOUR, MINUTE, SECOND } from '@escapement/core';
import {
  type CatchUpPolicy,
  catchUpShare,
  mostCaughtUp,
  type PlannedOccurrence,
  planOccurrences,
} from '@escapement/core/plan';
import { jitterOf, parseSchedule, type ScheduleSpec } from '@escapement/core/schedule';
import { taskOccurrences } from '@escapement/operations';
import type { MisfiredRun, MisfiredTask } from '@escapement/store';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeMisfired } from './judge-misfired.ts';
import { toCaughtUp } from './misfires.ts';

const NAME = 'task';
const START = Date.UTC(2026, 2, 3, 10, 0, 0);

const within = fc.option(fc.constantFrom(1 * SECOND, 15 * SECOND, 90 * SECOND, 10 * MINUTE, 5 * HOUR), {
  nil: undefined,
});
const policy: fc.Arbitrary<CatchUpPolicy> = fc.oneof(
  fc.constant<CatchUpPolicy>({ policy: 'none' }),
  fc.record({ policy: fc.constantFrom('latest', 'earliest'), withinMs: within }),
  fc.record({ policy: fc.constantFrom('all', 'ask'), withinMs: within, max: fc.constantFrom(undefined, 1, 2, 5) }),
) as fc.Arbitrary<CatchUpPolicy>;

const every = (everyMs: number): ScheduleSpec => ({ kind: 'every', everyMs });
const cron = (expression: string): ScheduleSpec => ({ kind: 'cron', expression, timeZone: 'Europe/Berlin' });
const spec = fc.constantFrom<ScheduleSpec>(
  every(SECOND),
  every(10 * SECOND),
  { ...every(20 * SECOND), jitterMs: 4 * SECOND } as ScheduleSpec,
  cron('*/2 * * * *'),
  cron('7,9,40 * * * *'),
  cron('30 3 * * *'),
);

/** One instant of an outage without workers: whether a planner and a judge pass. */
const step = fc.record({ gap: fc.integer({ min: 1, max: 1000 }), plans: fc.boolean(), judges: fc.boolean() });
const outage = fc.record({
  catchUp: policy,
  spec,
  misfireThresholdMs: fc.constantFrom(undefined, undefined, 500, 90 * SECOND),
  steps: fc.array(step, { maxLength: 40 }),
  /** In periods, so that each schedule has some occurrences. */
  periods: fc.double({ min: 0.1, max: 30, noNaN: true }),
  workersFirst: fc.boolean(),
});
type Outage = typeof outage extends fc.Arbitrary<infer Value> ? Value : never;

interface Row extends PlannedOccurrence {
  id: string;
  dispatch: number;
  begun: boolean;
}

/** A ledger of one task, with its loops as plain functions of the time. */
function fleetOf({ catchUp, spec: schedule, misfireThresholdMs }: Outage) {
  const parsed = parseSchedule(schedule, { seed: NAME });
  const { next } = taskOccurrences(parsed, undefined, []);
  const delayMs = (at: Date) => jitterOf(parsed, at, NAME);
  const first = next(new Date(START));
  if (!first) throw new Error('no fire');
  const share = catchUpShare(NAME);
  const rules = { next, delayMs, share, pauses: [], catchUp, misfireThresholdMs };
  const rows: Row[] = [];
  let nextRunAt: Date | null = first;

  const isLate = ({ misfireAt }: Row, now: Date) => misfireAt !== null && misfireAt < now;
  const isUnbegun = ({ state, begun }: Row) => !begun && (state === 'planned' || state === 'held');
  const isOpen = (row: Row, now: Date) => isUnbegun(row) && (row.origin === 'catch_up' || isLate(row, now));

  function begunBefore(at: Date, now: Date): number {
    const older = rows.filter((row) => row.scheduledFor < at && row.state !== 'missed' && !isOpen(row, now)).reverse();
    const first = older.findIndex(({ origin }) => origin !== 'catch_up');
    return first < 0 ? older.length : first;
  }

  function plan(now: Date): void {
    for (let pass = 0; nextRunAt && nextRunAt <= now && pass < 20; pass++) {
      const at: Date = nextRunAt;
      const openBefore =
        !['none', 'latest'].includes(catchUp.policy) && rows.some((row) => row.scheduledFor < at && isOpen(row, now));
      const made = planOccurrences({
        ...rules,
        nextRunAt: at,
        now,
        horizonMs: 0,
        begunBefore: begunBefore(at, now),
        openBefore,
      });
      rows.push(
        ...made.occurrences.map((each) => ({
          ...each,
          id: each.scheduledFor.toISOString(),
          dispatch: 1,
          begun: false,
        })),
      );
      nextRunAt = made.nextRunAt;
    }
  }

  function toRun(row: Row, now: Date): MisfiredRun {
    const judged = row.origin === 'catch_up' ? 'chosen' : row.misfireAt && row.dueAt > row.misfireAt ? 'open' : null;
    const { id, scheduledFor, dueAt, dispatch, state } = row;
    return {
      id,
      scheduledFor,
      dueAt,
      dispatch,
      state: state === 'held' ? 'held' : 'queued',
      judged,
      refused: isLate(row, now) && state !== 'held',
    };
  }

  function judge(now: Date): void {
    if (!rows.some((row) => row.state === 'planned' && isUnbegun(row) && row.dueAt <= now && isLate(row, now))) return;
    const together = rows.filter((row) => isOpen(row, now));
    const newest = together.at(-1);
    if (!newest) return;
    const newerIsDue =
      (nextRunAt !== null && nextRunAt <= now) ||
      rows.some((row) => row.scheduledFor > newest.scheduledFor && row.scheduledFor <= now && row.state !== 'missed');
    const task = {
      name: NAME,
      schedule,
      rules: { catchUp, misfireThresholdMs },
      calendars: [],
      effectiveAt: new Date(START),
      unplannedFrom: nextRunAt,
      runs: together.map((row) => toRun(row, now)),
      newerIsDue,
      newerMisfired: 0,
      begunBefore: begunBefore(newest.scheduledFor, now),
      pool: 'default',
      poolPauseNote: null,
      worker: null,
      workerAway: null,
      id: NAME,
    } satisfies MisfiredTask;
    for (const judged of judgeMisfired(task, now)) {
      const row = together.find(({ id }) => id === judged.run.id);
      if (!row) continue;
      if (judged.verdict.to === 'missed') Object.assign(row, { state: 'missed', reason: judged.verdict.reason });
      for (const { to, dueAt, holdsUntil } of toCaughtUp(judged, now))
        Object.assign(row, {
          dueAt,
          ...(to === 'open'
            ? {}
            : { origin: 'catch_up', misfireAt: holdsUntil, state: to === 'held' ? 'held' : 'planned' }),
        });
    }
  }

  /** Workers come and begin all that they may. */
  function begin(now: Date): void {
    for (const row of rows)
      if (row.state === 'planned' && !row.begun && row.dueAt <= now && !isLate(row, now)) row.begun = true;
  }

  const started = () => rows.filter(({ begun }) => begun).map(({ id }) => id);
  const held = () => rows.filter(({ state }) => state === 'held').map(({ id }) => id);
  return { rules, first, rows, plan, judge, begin, started, held };
}

function periodOf({ next }: { next: (after: Date) => Date | null }, first: Date): number {
  return (next(first)?.getTime() ?? first.getTime() + HOUR) - first.getTime();
}

it('the passes of an outage without workers start what one judgement at its end starts, and hold what that holds', () => {
  fc.assert(
    fc.property(outage, (asked) => {
      const fleet = fleetOf(asked);
      const end = new Date(fleet.first.getTime() + asked.periods * periodOf(fleet.rules, fleet.first));
      const total = asked.steps.reduce((sum, { gap }) => sum + gap, 1);
      let passed = 0;
      for (const { gap, plans, judges } of asked.steps) {
        passed += gap;
        const now = new Date(
          fleet.first.getTime() + Math.floor((end.getTime() - fleet.first.getTime()) * (passed / total)),
        );
        if (plans) fleet.plan(now);
        if (judges) fleet.judge(now);
      }
      // Workers may come before a scheduler has looked again.
      if (asked.workersFirst) fleet.begin(end);
      for (let pass = 0; pass < 3; pass++) {
        fleet.plan(end);
        fleet.judge(end);
        fleet.begin(end);
      }
      const once = fleetOf(asked);
      once.plan(end);
      once.begin(end);
      expect(fleet.started()).toEqual(once.started());
      if (asked.catchUp.policy !== 'ask' || asked.catchUp.withinMs === undefined)
        expect(fleet.held()).toEqual(once.held());
      expect(fleet.held().length).toBeLessThanOrEqual(mostCaughtUp(asked.catchUp));
    }),
    { numRuns: 1500 },
  );
});
