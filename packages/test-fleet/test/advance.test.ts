import { DAY, HOUR, MINUTE } from '@escapement/core';
import { type LedgerFinding, verifyLedger } from '@escapement/operations';
import { cron, defineTask, every } from '@escapement/sdk';
import { openDatabase } from '@escapement/store';
import { expect, test } from 'vitest';
import { testFleet } from './fleet.ts';

const start = new Date('2026-03-27T12:00:00Z');

const nightly = defineTask({
  name: 'nightly',
  schedule: cron('30 2 * * *', 'Europe/Berlin'),
  run: (_, ctx) => ctx.run.scheduledFor,
});

let refuse = false;
const flaky = defineTask({
  name: 'flaky',
  retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 1 * HOUR } },
  run(_, ctx) {
    if (refuse) throw new Error('not today');
    return ctx.run.attempt;
  },
});

const counter = defineTask({
  name: 'counter',
  schedule: every(6 * HOUR),
  run: () => undefined,
});

const fleet = await testFleet({ tasks: [nightly, flaky, counter], now: start });

test('what is due within the span runs at its time, through a change of the clock', async () => {
  await fleet.advance('3d');
  const runs = await fleet.runs(nightly);
  expect(runs.map(({ state, output }) => [state, output])).toEqual([
    ['succeeded', '2026-03-28T01:30:00.000Z'],
    ['succeeded', '2026-03-29T01:00:00.000Z'],
    ['succeeded', '2026-03-30T00:30:00.000Z'],
  ]);
  expect(await fleet.runs('counter')).toHaveLength(12);
  expect(await fleet.runs()).toHaveLength(15);
});

test('a run starts when it is due, by the clock of the fleet', async () => {
  for (const { scheduledFor, startedAt } of await fleet.runs()) {
    const latenessMs = (startedAt?.getTime() ?? Number.POSITIVE_INFINITY) - scheduledFor.getTime();
    expect(latenessMs).toBeGreaterThanOrEqual(0);
    expect(latenessMs).toBeLessThan(1 * MINUTE);
  }
});

test('the time is where it was put', () => {
  const passedMs = fleet.now().getTime() - start.getTime();
  expect(passedMs).toBeGreaterThanOrEqual(3 * DAY);
  expect(passedMs).toBeLessThan(3 * DAY + 1 * HOUR);
});

test('a retry waits for its time, and not longer', async () => {
  refuse = true;
  const first = await fleet.trigger(flaky);
  expect(first).toMatchObject({ state: 'retrying', attempt: 1 });
  await fleet.advance(59 * MINUTE);
  expect(await fleet.runs(flaky)).toMatchObject([{ state: 'retrying', attempt: 1 }]);
  refuse = false;
  await fleet.advance(1 * MINUTE);
  expect(await fleet.runs(flaky)).toMatchObject([{ id: first.id, state: 'succeeded', attempt: 2, output: 2 }]);
});

test('an outage is judged by the task, as in life', async () => {
  const before = (await fleet.runs(counter)).length;
  await fleet.outage('2d');
  const after = (await fleet.runs(counter)).slice(before);
  // The latest is caught up, if its period is not over; those before are missed.
  expect(after.map(({ state, occurrences, origin }) => [state, occurrences, origin])).toEqual([
    ['missed', 7, 'schedule'],
    ['succeeded', 1, 'catch_up'],
  ]);
});

test('the ledger has no gap', async () => {
  await fleet.advance('20s');
  const { databaseUrl: url, namespace } = fleet;
  const db = openDatabase({ url, namespace, applicationName: 'test' });
  const findings: LedgerFinding[] = [];
  const to = new Date(fleet.now().getTime() - 10_000);
  const { expected, gaps } = await verifyLedger(db, { from: start, to, onFinding: (each) => void findings.push(each) });
  await db.close();
  expect(gaps).toBe(0);
  // Of the outage.
  expect(findings.map(({ task, kind }) => [task, kind])).toEqual([
    ['nightly', 'late'],
    ['counter', 'late'],
  ]);
  expect(expected).toBeGreaterThanOrEqual(25);
});

test('a span that is none is refused', async () => {
  await expect(fleet.advance('tomorrow')).rejects.toMatchObject({ code: 'bad_span' });
  await expect(fleet.advance(start)).rejects.toMatchObject({ code: 'bad_span' });
  await expect(fleet.outage(new Date('tomorrow'))).rejects.toMatchObject({ code: 'bad_span' });
});
