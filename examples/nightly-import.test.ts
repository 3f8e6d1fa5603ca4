import { testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import importAlert from './import-alert.ts';
import importReport from './import-report.ts';
import { nightlyImport } from './nightly-import.ts';

const source = (lines: string[]) => ({ read: async () => lines });

test('imports the day before the one it is about, however late it runs', async () => {
  const days: string[] = [];
  async function read(day: string): Promise<string[]> {
    days.push(day);
    return ['1;A;1'];
  }
  const task = nightlyImport({ read });
  const run = { scheduledFor: new Date('2026-03-01T02:00:00Z') };
  await testTask(task, { now: '2026-03-01T02:00:00Z', run });
  await testTask(task, { now: '2026-03-09T17:00:00Z', run });
  await testTask(task, { payload: { day: '2026-01-05' } });
  expect(days).toEqual(['2026-02-28', '2026-02-28', '2026-01-05']);
});

test('what it gives back is what the report takes', async () => {
  const imported = await testTask(nightlyImport(source(['1;LAMP-7;2', '??'])), { payload: { day: '2026-01-05' } });
  expect(imported.output).toEqual({ day: '2026-01-05', orders: 1, rejected: 1 });
  const report = await testTask(importReport, { payload: imported.output });
  expect(report.output?.subject).toBe('Orders of 2026-01-05: 1 imported, 1 rejected');
});

test('tries again while the other side is not ready, and gives up at once on an empty file', async () => {
  const away = { read: () => Promise.reject(new Error('503')) };
  expect(await testTask(nightlyImport(away))).toMatchObject({ status: 'retrying' });
  expect(await testTask(nightlyImport(away), { run: { attempt: 3 } })).toMatchObject({ status: 'failed' });
  expect(await testTask(nightlyImport(source([])))).toMatchObject({ status: 'failed', retryAt: undefined });
});

test('a report follows a success, an alert the last failure', async () => {
  const { then, onFailure } = nightlyImport(source([])).toDefinition();
  expect({ then, onFailure }).toEqual({ then: [{ task: 'import-report' }], onFailure: 'import-alert' });
  const record = { id: 'run-1', task: 'nightly-import', state: 'failed', reason: '503', attempt: 3 };
  const alert = await testTask(importAlert, { payload: record });
  expect(alert.output?.subject).toBe('nightly-import failed after 3 attempts: 503');
});
