import { once } from 'node:events';
import { request } from 'node:http';
import { type Clock, MINUTE, systemClock } from '@escapement/core';
import { createToken, pauseTask, resumeTask, revokeToken } from '@escapement/operations';
import { appendLogs } from '@escapement/store';
import { by, eventually, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

let aheadMs = 0;
/** As the machine's; spans are as long as the test says. */
const clock: Clock = { now: () => systemClock.now(), monotonicMs: () => systemClock.monotonicMs() + aheadMs };
const { api, db, errors, token } = await testApi('default', 'own', clock);
const { url } = await api.start();
let runs = 0;

/** What a client hears at a path, and whether the server has ended that. */
async function watch(path: string, bearer: string) {
  const asked = request(`${url}${path}`, { headers: { authorization: `Bearer ${bearer}` }, agent: false }).end();
  const [answer] = await once(asked, 'response');
  expect(answer.statusCode).toBe(200);
  let [text, isOver] = ['', false];
  answer.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  // It is broken off.
  answer
    .on('error', () => undefined)
    .once('close', () => {
      isOver = true;
    });
  return { text: () => text, isOver: () => isOver, close: () => asked.destroy() };
}

test.each([
  ['events', () => '/v1/events'],
  ['the events of a log', (id: string) => `/v1/runs/${id}/log/events`],
  ['a log as it grows', (id: string) => `/v1/runs/${id}/log?follow=true`],
])('who watches %s is cut off within a minute after the token was revoked', async (_, pathOf) => {
  const task = `talks-${runs++}`;
  const id = await runningRun(db, task);
  let seq = 0;
  /** There is always something to tell. */
  const action = async () => {
    await appendLogs(db, [{ runId: id, attempt: 1, seq: seq++, text: 'said\n' }]);
    await (seq % 2 === 1 ? pauseTask(db, task, null, by('ann')) : resumeTask(db, task, by('ann')));
  };
  await action();
  const reader = await createToken(db, { name: `${task}-reader`, role: 'admin' }, by('root'));
  const watching = await watch(pathOf(id), reader.token);
  const keeper = await watch(pathOf(id), await token({}));
  for (const { text } of [watching, keeper]) await eventually(() => expect(text()).not.toBe(''));
  await revokeToken(db, reader.id, by('ann'));
  aheadMs += MINUTE;
  await eventually(async () => {
    await action();
    expect(watching.isOver()).toBe(true);
  });
  expect(keeper.isOver()).toBe(false);
  keeper.close();
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
