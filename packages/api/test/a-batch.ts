import { randomUUID } from 'node:crypto';
import { newRunId, systemClock, type Verdict } from '@escapement/core';
import {
  addToBatch,
  beginRuns,
  type Database,
  findTask,
  finishRuns,
  makeChildren,
  openBatch,
  sealBatch,
  triggerRun,
} from '@escapement/store';
import { aTask, by } from '@escapement/testkit';

/** A run of the task `parent` that has ended and has fanned out items to the task `child`, whose runs are made and end as given; `null`: not yet. */
export async function aBatch(
  db: Database,
  { parent, child, made }: { parent: string; child: string; made: readonly ('succeeded' | 'failed' | null)[] },
): Promise<{ id: string; runId: string }> {
  await aTask(db, parent);
  await aTask(db, child);
  const run = await begun(db, parent);
  const createdAt = systemClock.now();
  const id = newRunId(createdAt).replace(/.{8}$/, '00000000');
  await openBatch(db, run, {
    ...{ id, createdAt, name: '1', taskId: (await findTask(db, child))?.id ?? '', key: `${child}-{{payload.item}}` },
    ...{ concurrency: 1000, order: 'none', onError: 'continue', traceparent: null },
  });
  // One more than are made.
  await addToBatch(db, run, {
    ...{ batchId: id, first: 0 },
    items: [...made, null].map((_, item) => ({ item, secret: 'of an item' })),
  });
  await sealBatch(db, run, id);
  const keys = made.map((_, item) => `${child}-${item}`);
  const children = await makeChildren(db, { batchId: id, made: 0, count: made.length, keys });
  for (const [index, { id: childId, scheduledFor }] of children.entries()) {
    const state = made[index];
    if (state) await end(db, { runId: childId, scheduledFor, key: keys[index] ?? '' }, state);
  }
  await finish(db, run, 'succeeded');
  return { id, runId: run.runId };
}

async function begun(db: Database, name: string) {
  const scheduledFor = systemClock.now();
  const id = newRunId(scheduledFor);
  const taskId = (await findTask(db, name))?.id ?? '';
  await triggerRun(db, { id, scheduledFor, taskId, origin: 'trigger', key: name, payload: undefined, by: by('test') });
  return await begin(db, { runId: id, scheduledFor, key: name });
}

interface Begun {
  runId: string;
  scheduledFor: Date;
  key: string;
}

async function begin(db: Database, run: Begun) {
  const [result] = await beginRuns(db, [{ ...run, dispatch: 1, beginId: randomUUID(), slot: 1, worker: 'worker-1' }]);
  if (result?.kind !== 'begun') throw new Error(`not begun: ${JSON.stringify(result)}`);
  return result.run;
}

async function end(db: Database, run: Begun, to: 'succeeded' | 'failed'): Promise<void> {
  await finish(db, await begin(db, run), to);
}

type Running = Awaited<ReturnType<typeof begin>>;

async function finish(
  db: Database,
  { runId, scheduledFor, fence }: Running,
  to: 'succeeded' | 'failed',
): Promise<void> {
  const reason = to === 'failed' ? 'exit code 3' : null;
  const verdict: Verdict = { to, reason, lost: false, uncounted: false, output: { sent: to } };
  const seen = { state: 'running', dispatch: 1, attempt: 1 };
  await finishRuns(db, [{ runId, scheduledFor, seen, fence, finishId: randomUUID(), verdict }]);
}
