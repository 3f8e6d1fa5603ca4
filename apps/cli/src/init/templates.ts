/** What `escapement dev` and workers read: the same in TypeScript and in JavaScript. */
export const CONFIG = `import { defineConfig } from 'escapement';

// All fields: docs/reference/project-config.md. Variables of the environment come first.
export default defineConfig({
  // Folders of tasks, from this one.
  tasks: ['tasks'],
  // The pools whose runs a worker of this project takes.
  pools: ['default'],
});
`;

/** A first task: the same in TypeScript and in JavaScript. */
export const TASK = `import { cron, defineTask } from 'escapement';

export default defineTask({
  name: 'hello',
  // Seconds, minutes, hours, days, months, weekdays, on the clock of a time zone.
  schedule: cron('*/5 * * * * *', 'UTC'),
  timeoutMs: 10_000,
  async run(_payload, { log, run }) {
    log.info('hello', { dueAt: run.scheduledFor });
    return { greeted: true };
  },
});
`;

export const TEST_WITH_VITEST = `import { fires, testTask } from 'escapement/testing';
import { expect, test } from 'vitest';
import hello from './hello';

test('greets', async () => {
  const { output } = await testTask(hello);
  expect(output).toEqual({ greeted: true });
});

test('is due every five seconds', () => {
  const due = fires(hello, { from: '2027-01-01T00:00:01Z', count: 2 });
  expect(due.map(({ scheduledFor }) => scheduledFor.toISOString())).toEqual(['2027-01-01T00:00:05.000Z', '2027-01-01T00:00:10.000Z']);
});
`;

export const TEST_WITH_NODE = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fires, testTask } from 'escapement/testing';
import hello from './hello';

test('greets', async () => {
  const { output } = await testTask(hello);
  assert.deepEqual(output, { greeted: true });
});

test('is due every five seconds', () => {
  const due = fires(hello, { from: '2027-01-01T00:00:01Z', count: 2 });
  assert.deepEqual(due.map(({ scheduledFor }) => scheduledFor.toISOString()), ['2027-01-01T00:00:05.000Z', '2027-01-01T00:00:10.000Z']);
});
`;
