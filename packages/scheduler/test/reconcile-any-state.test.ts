import { randomUUID } from 'node:crypto';
import { seededRandom } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { listLeases, type RunRef } from '@escapement/queue';
import { haveFinished, requestCancel } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const other = fleet.newReconciler();
const POOL = 'esc:{default:default+shell}:default+shell';
const RUNS = 44;
const DOUBLE_PASSES = 4;
const ENOUGH_PASSES = 40;
/** A part of a queue is looked at in each pass: wait list and delayed jobs of one in two, those that are empty in one. */
const QUIET_PASSES = 7;

async function queuedRuns(): Promise<(RunRef & { due: boolean })[]> {
  const { rows } = await fleet.db.pool.query<RunRef & { due: boolean }>(
    `SELECT id AS "runId", queue_of(pool, need) AS queue, dispatch, due_at < now() AS due FROM run WHERE state = 'queued' ORDER BY id`,
  );
  return rows;
}

/** All that waits in Redis. */
async function queueJobs(): Promise<RunRef[]> {
  const jobs: RunRef[] = [];
  for (let page = await fleet.contents.page('default+shell', undefined, 50); ; ) {
    jobs.push(...page.jobs);
    if (!page.next) return jobs;
    page = await fleet.contents.page('default+shell', page.next, 50);
  }
}

/** The job that a run is in: a bundle's, or one of its own. */
async function jobOf(run: RunRef): Promise<string> {
  return String((await fleet.server.send('HGET', `${POOL}:bundled`, idOf(run))) ?? idOf(run));
}

const idOf = ({ runId, dispatch }: RunRef) => `r_${runId}_${dispatch}`;

/** Ways in which queue and ledger come apart. */
const CORRUPTIONS: ((run: RunRef) => Promise<unknown>)[] = [
  async () => undefined,
  // A lost write.
  (run) => fleet.queue.remove([run]),
  // A job in no list.
  async (run) => {
    const job = await jobOf(run);
    await fleet.server.send('LREM', `${POOL}:wait`, 0, job);
    await fleet.server.send('ZREM', `${POOL}:delayed`, job);
  },
  // A job that is gone; what says which runs were in it is not.
  async (run) => {
    const job = await jobOf(run);
    await fleet.server.send('LREM', `${POOL}:wait`, 0, job);
    await fleet.server.send('ZREM', `${POOL}:delayed`, job);
    await fleet.server.send('DEL', `${POOL}:${job}`);
  },
  // Taken by a worker that is no more.
  async (run) => {
    const job = await jobOf(run);
    await fleet.server.send('LREM', `${POOL}:wait`, 0, job);
    await fleet.server.send('ZREM', `${POOL}:delayed`, job);
    await fleet.server.send('LPUSH', `${POOL}:active`, job);
    await fleet.server.send('HSET', `${POOL}:${job}`, 'processedOn', 1);
  },
  // Queued again, and the job of that lost.
  (run) => fleet.db.pool.query('UPDATE run SET dispatch = dispatch + 1 WHERE id = $1', [run.runId]),
  // Ended, and its job kept.
  async (run) => {
    await requestCancel(fleet.db, run.runId, by('test'));
    await fleet.queue.add([{ ...run, delayMs: 0 }]);
  },
  // A job of a run that nobody knows, and one of an older dispatch.
  (run) =>
    fleet.queue.add([
      { queue: 'default+shell', runId: run.runId.replace(/.{12}$/, randomUUID().slice(-12)), dispatch: 1, delayMs: 0 },
    ]),
  (run) => fleet.queue.add([{ ...run, dispatch: 0, delayMs: 60_000 }]),
  // A delay that is far too long.
  async (run) => {
    await fleet.queue.remove([run]);
    await fleet.queue.add([{ ...run, delayMs: 3_600_000 }]);
  },
  // A lease of a run that is over, or still to come.
  (run) =>
    fleet.server.send(
      'SET',
      `esc:{default:key-${run.runId}}:lease:1`,
      `${run.runId} 1 w 2026-01-01T00:00:00.000Z`,
      'PX',
      600_000,
    ),
];

/** Those that are found before their run is due; the others when it is overdue. */
const FOUND_AT_ONCE = [0, 1, 3, 5, 6, 7, 8, 10];

/** Runs that are overdue, and a few that are due in an hour, all in the queue. */
async function queueRuns(random: (below: number) => number): Promise<void> {
  for (let made = 0; made < RUNS; made++) await triggerTask(fleet.db, 'any', { by: by('test'), payload: random(1000) });
  await fleet.db.pool.query(`UPDATE run SET due_at = now() - interval '5 s' WHERE state = 'planned'`);
  const later = RUNS / 4;
  await fleet.db.pool.query(
    `UPDATE run SET due_at = now() + interval '5 s' WHERE id IN (SELECT id FROM run WHERE state = 'planned' LIMIT $1)`,
    [later],
  );
  await fleet.dispatcher.runOnce();
  await fleet.db.pool.query(`UPDATE run SET due_at = now() + interval '1 h' WHERE state = 'queued' AND due_at > now()`);
}

async function corrupt(random: (below: number) => number): Promise<void> {
  const restore = random(3) === 0 ? await fleet.server.snapshot() : undefined;
  for (const run of await queuedRuns()) {
    const which = run.due ? random(CORRUPTIONS.length) : (FOUND_AT_ONCE[random(FOUND_AT_ONCE.length)] ?? 0);
    await CORRUPTIONS[which]?.(run);
  }
  if (random(4) === 0) await fleet.server.send('FLUSHDB');
  await restore?.();
}

/** Passes until they find nothing any more. */
async function passUntilQuiet(): Promise<void> {
  let quiet = 0;
  for (let passes = 0; passes < ENOUGH_PASSES && quiet < QUIET_PASSES; passes++) {
    const before = fleet.events.length;
    await fleet.reconcile();
    quiet = fleet.events.slice(before).some(({ event }) => event === 'drift') ? 0 : quiet + 1;
  }
  expect(quiet).toBe(QUIET_PASSES);
}

async function expectEqual(): Promise<void> {
  const queued = await queuedRuns();
  const jobs = await queueJobs();
  // Where two heal at once a run may get a job of its own beside the bundle that it is in (decision 24).
  expect([...new Set(jobs.map(idOf))].sort()).toEqual(queued.map(idOf).sort());
  const places = await fleet.contents.places(queued);
  expect(places.filter(({ at }) => at !== 'waiting' && at !== 'delayed')).toEqual([]);
  const leases = await listLeases(fleet.connection);
  const ended = await haveFinished(
    fleet.db,
    leases.map(({ runId }) => runId),
  );
  expect(ended).not.toContain(true);
}

/**
 * For some passes a second one comes while the first one is in its pass, as after a cluster lock that has lapsed. Each finds the
 * marker of the other and has all compared again, which extra jobs are left for: one alone ends the work.
 */
async function twoAtOnce(): Promise<void> {
  for (let pass = 0; pass < DOUBLE_PASSES; pass++) await Promise.all([fleet.reconcile(), fleet.reconcile(other)]);
}

it.each(Array.from({ length: 6 }, (_, seed) => ({ seed, by: seed % 2 === 0 ? 'one' : 'two at once' })))(
  'whatever state queue and ledger are in, they are equal again, and each due run starts once (seed $seed, $by)',
  async ({ seed }) => {
    const { next } = seededRandom(seed);
    const random = (below: number) => (next() * 2 ** 32) % below;
    await fleet.save({ name: 'any', overlap: { policy: 'allow' } });
    await queueRuns(random);
    await corrupt(random);
    if (seed % 2 === 1) await twoAtOnce();
    await passUntilQuiet();
    await expectEqual();
    const queued = await queuedRuns();
    await fleet.reconcile();
    expect(await queuedRuns()).toEqual(queued);
    const due = queued.filter((run) => run.due).map(({ runId }) => runId);
    const started = await runAll(due);
    expect(started.sort()).toEqual(due);
    for (const { runId } of await queuedRuns()) await requestCancel(fleet.db, runId, by('test'));
  },
);

/** Which runs a worker starts, each as often as it does, until all these have ended. */
async function runAll(due: readonly string[]): Promise<string[]> {
  const before = fleet.events.length;
  const ended = Promise.all(due.map((id) => fleet.event('run_finished', ({ run }) => run === id)));
  const worker = await fleet.startWorker(async () => ({ status: 'succeeded' }));
  await ended;
  await worker.stop(1000);
  return fleet.events.slice(before).flatMap((event) => (event.event === 'run_started' ? [event.run] : []));
}
