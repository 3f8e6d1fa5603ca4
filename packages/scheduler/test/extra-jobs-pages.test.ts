import { newRunId, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import type { ContentsCursor, ContentsPage, RunRef } from '@escapement/queue';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, it } from 'vitest';
import { extraJobsStep } from '../src/reconciler/extra-jobs.ts';

const fleet = await testFleet();

/** The pages of a queue, one after the other. */
type Pages = ContentsPage[];

/** What the step has asked of the queues, and what it has taken out. */
let asked: string[];
let tidied: string[];
let removed: string[];
let watch: ReturnType<typeof watching>;

beforeEach(() => {
  [asked, tidied, removed] = [[], [], []];
  watch = watching();
});

/** A watch under which nothing is compared. */
const watching = () => ({
  resyncRequest: undefined as number | undefined,
  blocked: [],
  step: { name: 'none', heal: async () => ({ counts: {}, more: false }) },
  completeResync: async () => undefined,
});

const at = (list: ContentsCursor['list'], from = 0): ContentsCursor => ({ list, from });

/** Jobs of runs that the ledger does not know. */
function unknown(count: number): RunRef[] {
  const nowMs = systemClock.now().getTime();
  return Array.from({ length: count }, () => ({ queue: 'a', runId: newRunId(new Date(nowMs)), dispatch: 1 }));
}

const last = (jobs: RunRef[] = []): ContentsPage => ({ jobs, next: undefined });

/** The step over queues whose pages are those given: of each the first, then the second, and so on. */
function stepOver(queues: Record<string, Pages>) {
  const left = structuredClone(queues);
  return extraJobsStep(
    {
      db: fleet.db,
      queue: {
        ...fleet.queue,
        remove: async (refs) => {
          removed.push(...refs.map(({ runId }) => runId));
          return refs.length;
        },
      },
      contents: {
        ...fleet.contents,
        page: async (queue, cursor, limit) => {
          asked.push(`${queue} ${cursor ? `${cursor.list} ${cursor.from}` : 'start'} ${limit}`);
          return left[queue]?.shift() ?? last();
        },
        tidy: async (queue) => void tidied.push(queue),
      },
    },
    watch,
    () => Object.keys(queues),
  );
}

const found = (extra_job: number, more = false) => ({ counts: { extra_job }, more });

it('looks at nothing where there are no queues', async () => {
  expect(await stepOver({}).step.heal()).toEqual({ counts: {}, more: false });
  expect(asked).toEqual([]);
});

it('takes out the one job of a page where no run waits for it, and tidies the queue', async () => {
  const jobs = unknown(1);
  expect(await stepOver({ a: [last(jobs)] }).step.heal()).toEqual(found(1));
  expect([removed, tidied]).toEqual([jobs.map(({ runId }) => runId), ['a']]);
});

it('leaves a job that a run waits for, beside one that none does', async () => {
  await fleet.save({ name: 'wanted' });
  const wanted = await triggerTask(fleet.db, 'wanted', { by: by('test') });
  await fleet.db.pool.query(`UPDATE run SET state = 'queued', dispatch = 1 WHERE id = $1`, [wanted]);
  const [extra] = unknown(1);
  const jobs = [{ queue: 'a', runId: wanted, dispatch: 1 }, ...(extra ? [extra] : [])];
  expect(await stepOver({ a: [last(jobs)] }).step.heal()).toEqual(found(1));
  expect(removed).toEqual([extra?.runId]);
});

it('looks past what is empty of a queue in the same pass, up to the first job', async () => {
  const { step } = stepOver({
    a: [
      { jobs: [], next: at('prioritized') },
      { jobs: [], next: at('delayed') },
      { jobs: unknown(1), next: at('delayed', 500) },
    ],
  });
  expect(await step.heal()).toEqual(found(1));
  expect(asked).toEqual(['a start 500', 'a prioritized 0 500', 'a delayed 0 500']);
  expect(tidied).toEqual(['a']);
});

it('goes on in the next pass behind the page, by so many places earlier as jobs were taken out', async () => {
  const { step } = stepOver({
    a: [
      { jobs: unknown(2), next: at('wait', 500) },
      { jobs: unknown(3), next: at('wait', 1) },
      { jobs: unknown(1), next: undefined },
    ],
  });
  for (const count of [2, 3, 1]) expect(await step.heal()).toEqual(found(count));
  await step.heal();
  expect(asked).toEqual(['a start 500', 'a wait 498 500', 'a wait 0 500', 'a start 500']);
});

it('looks at one queue after the other, a page in each pass, and then begins again', async () => {
  const { step } = stepOver({ a: [], b: [], c: [] });
  for (let pass = 0; pass < 5; pass++) expect(await step.heal()).toEqual(found(0));
  expect(asked).toEqual(['a', 'b', 'c', 'a', 'b'].map((queue) => `${queue} start 500`));
  expect(tidied).toEqual(['a', 'b', 'c', 'a', 'b']);
});

it('when it is to scan all looks through all queues from the start, in long pages without a pause, and then is calm again', async () => {
  const { step, scanAll } = stepOver({ a: [last(), { jobs: unknown(1), next: at('wait', 9) }], b: [] });
  for (let pass = 0; pass < 3; pass++) await step.heal();
  // It stands behind the first page of `a`.
  expect(asked.splice(0)).toEqual(['a start 500', 'b start 500', 'a start 500']);
  scanAll();
  expect(await step.heal()).toEqual(found(0, true));
  expect(await step.heal()).toEqual(found(0));
  expect(await step.heal()).toEqual(found(0));
  expect(asked).toEqual(['a start 2000', 'b start 2000', 'a start 500']);
});

it('in a scan of all goes on at once while a page of the last queue is left', async () => {
  const { step, scanAll } = stepOver({ a: [{ jobs: unknown(1), next: at('wait', 2000) }] });
  scanAll();
  expect(await step.heal()).toEqual(found(1, true));
  expect(await step.heal()).toEqual(found(0));
  expect(asked).toEqual(['a start 2000', 'a wait 1999 2000']);
});

it('in a scan of all looks at all queues again that it has left already', async () => {
  const { step, scanAll } = stepOver({ a: [], b: [] });
  await step.heal();
  scanAll();
  expect([await step.heal(), await step.heal()]).toEqual([found(0, true), found(0)]);
  expect(asked).toEqual(['a start 500', 'a start 2000', 'b start 2000']);
});

it('waits while all is compared, and hurries once when that is done', async () => {
  const { step } = stepOver({ a: [], b: [] });
  watch.resyncRequest = 7;
  for (let pass = 0; pass < 2; pass++) expect(await step.heal()).toEqual({ counts: {}, more: false });
  expect(asked).toEqual([]);
  watch.resyncRequest = undefined;
  expect([await step.heal(), await step.heal(), await step.heal()]).toEqual([found(0, true), found(0), found(0)]);
  expect(asked).toEqual(['a start 2000', 'b start 2000', 'a start 500']);
});
