import { EscapementError } from '@escapement/core';
import { expect, test } from 'vitest';
import { badHandlers } from './handler-processes.ts';

const PREVIOUS = {
  id: '01941f29-7c00-7000-8000-000000000009',
  state: 'succeeded',
  scheduledFor: new Date(0),
  startedAt: new Date(0),
  finishedAt: new Date(0),
  reason: null,
  output: null,
};

test('what a handler asks for is answered by its worker, refusals with code and fix', async () => {
  const handlers = await badHandlers();
  let calls = 0;
  const { outcome } = handlers.run('asks', undefined, () => {
    calls += 1;
    if (calls === 1) return PREVIOUS;
    throw new EscapementError('run_not_current', 'it is over', { fix: 'end it' });
  });
  expect(await outcome).toEqual({
    status: 'succeeded',
    output: { before: PREVIOUS.id, code: 'run_not_current: end it' },
  });
});

test('a call that no worker can read is refused, and keeps nobody waiting', async () => {
  const handlers = await badHandlers();
  const { outcome } = handlers.run('asks-wrong', undefined, () => {
    throw new Error('its worker was asked');
  });
  expect(await outcome).toMatchObject({ status: 'failed', error: { fields: { code: 'bad_call' } } });
});
