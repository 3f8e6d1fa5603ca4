import { fires, testTask } from '@escapement/sdk/testing';
import { expect, test } from 'vitest';
import { emailReminder, OPENINGS } from './email-reminder.ts';

const NOBODY = { send: async () => undefined, random: () => 0 };

/** A generator with a seed: the same each time. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test('never repeats its last choice, and makes each choice now and then', async () => {
  const task = emailReminder({ ...NOBODY, random: chance(7) });
  const chosen: string[] = [];
  let state: { last: string | null } | undefined;
  for (let day = 0; day < 300; day++) {
    const result = await testTask(task, { state });
    state = result.state;
    chosen.push(result.output?.subject ?? 'none');
  }
  expect(chosen.filter((subject, day) => subject === chosen[day - 1])).toEqual([]);
  expect(new Set(chosen)).toEqual(new Set(OPENINGS));
});

test('a mail that could not be sent does not count as the last choice', async () => {
  const send = async () => {
    throw new Error('421 try again later');
  };
  const result = await testTask(emailReminder({ ...NOBODY, send }), { state: { last: OPENINGS[2] } });
  expect(result).toMatchObject({ status: 'retrying', state: { last: OPENINGS[2] } });
});

test('a retry sends under the same id, so that a mail server can refuse the second', async () => {
  const ids: string[] = [];
  const send = async ({ id }: { id: string }) => void ids.push(id);
  for (const attempt of [1, 2]) await testTask(emailReminder({ ...NOBODY, send }), { run: { attempt } });
  expect(ids[0]).toBe(ids[1]);
});

test('goes out at nine on working days, whatever the clocks do', () => {
  const days = fires(emailReminder(NOBODY), { from: '2026-03-27T00:00:00Z', count: 2 });
  expect(days.map(({ scheduledFor }) => scheduledFor.toISOString())).toEqual([
    '2026-03-27T08:00:00.000Z',
    '2026-03-30T07:00:00.000Z',
  ]);
});
