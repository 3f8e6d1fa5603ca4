import { callAnswers, type HandlerContext, type HandlerOutcome } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
let handler: (context: HandlerContext) => Promise<HandlerOutcome> = async () => ({ status: 'succeeded' });
await fleet.startWorker((context) => handler(context));

async function runOnce(name: string, handle: typeof handler, payload?: string): Promise<string> {
  handler = handle;
  const ended = fleet.event('run_finished', ({ task }) => task === name);
  const id = await triggerTask(fleet.db, name, {
    by: by('test'),
    ...(payload === undefined ? {} : { payload: { to: payload } }),
  });
  await fleet.dispatcher.runOnce();
  await ended;
  return id;
}

async function previousOf(context: HandlerContext) {
  return callAnswers.previous.parse(await context.ask({ call: 'previous' }));
}

it('a run is told of the last run of its task and key, whatever came of it', async () => {
  await fleet.save({ name: 'looks-back', key: 'to:{{payload.to}}' });
  const seen: Awaited<ReturnType<typeof previousOf>>[] = [];
  const look = async (context: HandlerContext, ending: HandlerOutcome) => {
    seen.push(await previousOf(context));
    return ending;
  };
  const first = await runOnce('looks-back', (context) => look(context, { status: 'succeeded', output: { n: 1 } }), 'a');
  await runOnce('looks-back', (context) => look(context, { status: 'succeeded' }), 'b');
  const failed: HandlerOutcome = { status: 'failed', error: { name: 'E', message: 'no' } };
  const second = await runOnce('looks-back', (context) => look(context, failed), 'a');
  await runOnce('looks-back', (context) => look(context, { status: 'succeeded' }), 'a');
  expect(seen).toEqual([
    null,
    null,
    expect.objectContaining({ id: first, state: 'succeeded', output: { n: 1 }, reason: null }),
    expect.objectContaining({ id: second, state: 'failed', output: null, reason: 'no' }),
  ]);
});

it('a call of an attempt that is not the current one any more is refused', async () => {
  await fleet.save({ name: 'overtaken' });
  let refused: unknown;
  await runOnce('overtaken', async (context) => {
    await fleet.db.pool.query(`UPDATE key_slot SET fence = fence + 1 WHERE key = 'overtaken'`);
    refused = await context.ask({ call: 'previous' }).catch((error) => error);
    await fleet.db.pool.query(`UPDATE key_slot SET fence = fence - 1 WHERE key = 'overtaken'`);
    return { status: 'succeeded' };
  });
  expect(refused).toMatchObject({ code: 'run_not_current', fix: expect.any(String) });
});

it('a call that the worker does not know is refused', async () => {
  await fleet.save({ name: 'asks' });
  let refused: unknown;
  await runOnce('asks', async ({ ask }) => {
    refused = await Reflect.apply(ask, undefined, [{ call: 'nonsense' }]).catch((error: unknown) => error);
    return { status: 'succeeded' };
  });
  expect(refused).toMatchObject({ code: 'bad_call' });
});
