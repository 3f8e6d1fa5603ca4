import { expect, test } from 'vitest';
import { readSchedulers, type StoredScheduler } from './read-schedulers.ts';

const scheduler = (id: string, fields: StoredScheduler['fields'], job: StoredScheduler['job'] = {}) => ({
  id,
  fields,
  job,
});
const read = (...stored: StoredScheduler[]) => readSchedulers({ queue: 'mail', stored, timeZone: 'Europe/Berlin' });

function one(fields: { [name: string]: string }, job: StoredScheduler['job'] = {}) {
  const { tasks, refused } = read(scheduler('nightly', { name: 'send', ic: '1', ...fields }, job));
  if (!tasks[0]) throw new Error(JSON.stringify(refused));
  return tasks[0];
}

const reasonOf = (fields: { [name: string]: string }) =>
  read(scheduler('nightly', { name: 'send', ic: '1', ...fields })).refused[0]?.reason;

test('a job scheduler becomes a task of the code that its jobs name', () => {
  const { task, lost, notes } = one({
    pattern: '0 30 2 * * *',
    tz: 'America/New_York',
    endDate: '1893456000000',
    data: '{"list":"news"}',
    opts: '{"attempts":3,"backoff":{"type":"exponential","delay":1000},"removeOnComplete":true}',
  });
  expect(task).toEqual({
    name: 'mail/nightly',
    schedule: {
      kind: 'cron',
      expression: '0 30 2 * * *',
      timeZone: 'America/New_York',
      endAt: '2030-01-01T00:00:00.000Z',
    },
    handler: { type: 'code', name: 'send' },
    payload: { list: 'news' },
    retry: { maxAttempts: 3, backoff: { kind: 'exponential', delayMs: 1000, capMs: 604_800_000 } },
  });
  expect({ lost, notes }).toEqual({ lost: [], notes: [] });
});

test('intervals keep their grid, limits what is left of them; a pattern without a zone has that of the process', () => {
  expect(one({ every: '60000', offset: '15000' }).task.schedule).toEqual({
    kind: 'every',
    everyMs: 60_000,
    phaseMs: 15_000,
  });
  expect(one({ every: '60000', limit: '10', ic: '4' }).task.schedule).toEqual({
    kind: 'every',
    everyMs: 60_000,
    maxRuns: 7,
  });
  expect(one({ pattern: '0 3 * * *' })).toMatchObject({
    task: { schedule: { timeZone: 'Europe/Berlin' } },
    notes: [expect.stringContaining('zone Europe/Berlin')],
  });
});

test('old repeatable jobs are read by their keys; their data by the job that waits', () => {
  const { tasks } = read(
    scheduler('send:::Europe/Paris:0 5 * * 1', null),
    scheduler('send::1893456000000::30000', null),
    scheduler('0123456789abcdef0123456789abcdef', { name: 'send', pattern: '0 6 * * *' }, { data: '{"a":1}' }),
  );
  expect(tasks.map(({ task }) => [task.name, task.schedule, task.payload])).toEqual([
    ['mail/send', { kind: 'cron', expression: '0 5 * * 1', timeZone: 'Europe/Paris' }, undefined],
    ['mail/send.2', { kind: 'every', everyMs: 30_000, endAt: '2030-01-01T00:00:00.000Z' }, undefined],
    ['mail/send.3', { kind: 'cron', expression: '0 6 * * *', timeZone: 'Europe/Berlin' }, { a: 1 }],
  ]);
  expect(tasks[0]?.notes).toContainEqual(expect.stringContaining('is not known'));
});

test('options without a counterpart are told, with what to do', () => {
  const opts = '{"attempts":2,"backoff":{"type":"mine"},"priority":5,"lifo":true,"delay":0}';
  expect(one({ every: '1000', opts }).lost).toEqual([
    expect.stringMatching(/^priority: say priority/),
    expect.stringMatching(/^lifo/),
    expect.stringMatching(/^backoff "mine"/),
  ]);
});

test.each([
  [{}, /neither a pattern nor every/],
  [{ every: '50' }, /every 50 ms: an interval is 1 s/],
  [{ pattern: '0 0 31 2 *' }, /never comes/],
  [{ pattern: '0 0 * * *', tz: 'Mars/Base' }, /unknown time zone/],
  [{ every: '1000', limit: '3', ic: '4' }, /had all its 3 runs/],
  [{ every: '1000', data: '{' }, /data is not JSON/],
  [{ every: '1000', opts: '[' }, /options are not JSON/],
  [{ every: '1000', endDate: 'soon' }, /endDate is "soon"/],
  [{ every: '1000', opts: '{"attempts":"many"}' }, /attempts are "many"/],
])('%j is refused with the reason', (fields, reason) => {
  expect(reasonOf(fields)).toMatch(reason);
});

test('a member that is nothing of BullMQ is refused, and stops no other one', () => {
  const { tasks, refused } = read(scheduler('x', null), scheduler('ok', { name: 'send', every: '1000', ic: '1' }));
  expect(tasks.map(({ task }) => task.name)).toEqual(['mail/ok']);
  expect(refused).toEqual([{ place: 'mail: x', reason: expect.stringContaining('no repeatable job') }]);
  expect(read().notes).toEqual(['the queue mail has no job scheduler']);
});
