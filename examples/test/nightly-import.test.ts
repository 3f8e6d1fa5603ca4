import { startTestFleet, type TestFleet } from '@escapement/test-fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import importAlert from '../import-alert.ts';
import importReport from '../import-report.ts';
import { nightlyImport } from '../nightly-import.ts';

let ready = true;
const source = {
  async read(): Promise<string[]> {
    if (!ready) throw new Error('the orders are not there yet');
    return ['1001;LAMP-7;2', '1002;CHAIR-1;4', 'what is this?'];
  },
};
const task = nightlyImport(source);

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startTestFleet({ tasks: [task, importReport, importAlert], now: '2026-03-01T00:00:00Z' });
}, 60_000);
afterAll(() => fleet?.stop());

test('each night that goes well has its report', async () => {
  await fleet.advance('2d');
  expect(await fleet.runs(task)).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
  expect((await fleet.runs(importReport)).map(({ output }) => output)).toEqual([
    { subject: 'Orders of 2026-02-28: 2 imported, 1 rejected' },
    { subject: 'Orders of 2026-03-01: 2 imported, 1 rejected' },
  ]);
  expect(await fleet.runs(importAlert)).toEqual([]);
});

test('an import that fails at last has one alert and no report', async () => {
  ready = false;
  await fleet.advance('1d');
  expect((await fleet.runs(task)).at(-1)).toMatchObject({ state: 'failed', attempt: 3 });
  expect((await fleet.runs(importAlert)).map(({ output }) => output)).toEqual([
    { subject: 'nightly-import failed after 3 attempts: the orders are not there yet (attempt 3 of 3)' },
  ]);
  expect(await fleet.runs(importReport)).toHaveLength(2);
});
