import { readFileSync } from 'node:fs';
import { DAY, SECOND } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by, eventually, type RedisCall, watchPostgres, watchRedis } from '@escapement/testkit';
import { HORIZON_MS, testFleet, wasDue } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const DOCUMENT = new URL('../../../docs/explanation/performance.md', import.meta.url);
/** On a busy machine BullMQ's own timer may be faster than ours, and a run then costs other commands: another one is looked at. */
const MOST_RUNS = 10;

const fleet = await testFleet({ repeatableFromMs: SECOND, repeatableUpToMs: HORIZON_MS });
const redis = await watchRedis(fleet.server.url);
const postgres = [watchPostgres(fleet.as.scheduler), watchPostgres(fleet.as.worker)];
await fleet.startWorker(async () => ({ status: 'succeeded' }));

/** What was sent for one run, by its job and by its row. */
interface Cost {
  scripts: string[];
  commands: number;
  statements: number;
  commits: number;
}

/** `marks`: what only that run is called by. */
function costOf(...marks: readonly string[]): Cost {
  const isOfRun = (text: string) => marks.some((mark) => text.includes(mark));
  const calls = redis.filter((call) => isOfRun(call.args.join(' ')) || (isFetch(call) && isOfRun(withinOf(call))));
  const sent = postgres.flat().filter((call) => isOfRun(call.sent));
  return {
    scripts: calls.map(nameOf).sort(),
    commands: calls.reduce((sum, { within }) => sum + 1 + within.length, 0),
    statements: sent.length,
    commits: sent.filter(({ commits }) => commits).length,
  };
}

/** Who asks for a job does not know which one comes. */
const isFetch = ({ name }: RedisCall) => name === 'moveToActive';
const withinOf = ({ within }: RedisCall) => within.flat().join(' ');
const nameOf = ({ name, args }: RedisCall) => (name === 'evalsha' ? `lease ${args[5]}` : name);

/** What the document says that a run of this lane costs. */
function documented(lane: string): Cost {
  const row = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .find(([, name]) => name === lane);
  const [, , scripts = '', ...figures] = row ?? [];
  const [commands, statements, commits] = figures.map(Number);
  return {
    scripts: scripts.split(', ').sort(),
    commands: commands ?? Number.NaN,
    statements: statements ?? Number.NaN,
    commits: commits ?? Number.NaN,
  };
}

/** Has runs made, one after the other, until one costs what the document says. */
async function costs(lane: string, task: string, make: () => Promise<void>): Promise<void> {
  const expected = documented(lane);
  const seen: Cost[] = [];
  while (seen.length < MOST_RUNS) {
    const finished = fleet.event('run_finished', (event) => event.task === task);
    await make();
    const { run } = await finished;
    await eventually(() => expect(costOf(run).scripts.length).toBeGreaterThanOrEqual(expected.scripts.length));
    seen.push(costOf(run));
    if (isSame(seen.at(-1), expected)) return;
  }
  expect(seen).toContainEqual(expected);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

it('counts all that a triggered run sends to Redis and Postgres', async () => {
  await fleet.save({ name: 'triggered' });
  await costs('a triggered run', 'triggered', async () => {
    await triggerTask(fleet.db, 'triggered', { by: by('ann') });
    await fleet.dispatcher.runOnce();
  });
});

it('counts all that a run with a delayed job sends', async () => {
  await fleet.save({ name: 'delayed', schedule: { kind: 'every', everyMs: DAY } });
  await costs('a delayed job', 'delayed', async () => {
    await wasDue(fleet.db, 'delayed', -300);
    await fleet.planner.runOnce();
  });
});

/** What ten runs share that are due within 30 ms: all but their leases and begins, which are asked for at the instant of each. */
const SHARED = {
  scripts: ['addDelayedJob', 'eval', 'eval', 'moveToActive', 'moveToFinished', 'promote'],
  statements: ['finish_plain_successes', 'look_up_runs', 'plan_runs'],
};

it('counts what the runs of a window share: plan, job, look-up and end', async () => {
  const tasks = Array.from({ length: 10 }, (_, at) => `window-${at}`);
  for (const name of tasks) await fleet.save({ name, schedule: { kind: 'every', everyMs: DAY } });
  const seen: (typeof SHARED)[] = [];
  while (seen.length < MOST_RUNS && !isSame(seen.at(-1), SHARED)) {
    const finished = tasks.map((task) => fleet.event('run_finished', (event) => event.task === task));
    await fleet.db.pool.query(
      `UPDATE task_plan p SET plan_seq = plan_seq + 1,
         next_run_at = to_timestamp(ceil(extract(epoch FROM now()) / 0.2) * 0.2 + 0.4) + substr(t.name, 8)::integer * interval '3 ms'
       FROM task t WHERE t.id = p.task_id AND t.name LIKE 'window-%'`,
    );
    await fleet.planner.runOnce();
    const runs = (await Promise.all(finished)).map(({ run }) => run);
    const marks = [...runs, ...bundlesOf(runs)];
    await eventually(() => expect(costOf(...marks).scripts).toContain('moveToFinished'));
    const scripts = costOf(...marks).scripts.filter((name) => !name.startsWith('lease'));
    const sent = postgres.flat().filter((call) => runs.some((run) => call.sent.includes(run)));
    const names = sent.map(({ name }) => name.replace(/_run_p\d+$/, '')).sort();
    seen.push({ scripts, statements: names.filter((name) => name !== 'begin_runs') });
  }
  expect(seen).toContainEqual(SHARED);
});

/** The bundles that their jobs are. */
function bundlesOf(runs: readonly string[]): string[] {
  const texts = redis.map(({ args }) => args.join(' ')).filter((text) => runs.some((run) => text.includes(run)));
  return texts.flatMap((text) => text.match(/b_\d+_[0-9a-f-]{36}/g) ?? []);
}

it('counts all that a repeat sends, and that it makes the next one once', async () => {
  await fleet.save({
    name: 'repeated',
    schedule: { kind: 'every', everyMs: SECOND },
    misfireThresholdMs: 60 * SECOND,
  });
  await fleet.planner.runOnce();
  await fleet.syncRepeatableJobs();
  await eventually(async () => {
    await fleet.planner.runOnce();
    const { rows } = await fleet.db.pool.query<{ id: string; task: string; at: Date }>(
      `SELECT r.id, t.id AS task, r.scheduled_for AS at FROM run r JOIN task t ON t.id = r.task_id
       WHERE t.name = 'repeated' AND r.state = 'succeeded'`,
    );
    const found = rows.map(({ id, task, at }) => costOf(id, `${task}_1000_0:${at.getTime()}`, at.toISOString()));
    expect(found).toContainEqual(documented('a repeatable job'));
  });
});
