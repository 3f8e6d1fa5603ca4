import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, newRunId, OPEN_STATES, SECOND, systemClock } from '@escapement/core';
import type { RunRef } from '@escapement/queue';
import { Queue } from 'bullmq';
import { type Fault, lookFor, nowMs, type Scene } from './fault.ts';

async function deliverAgain(redisUrl: string, name: string, runs: readonly RunRef[]): Promise<void> {
  const { hostname, port } = new URL(redisUrl);
  const connection = { host: hostname, port: Number(port) };
  const queue = new Queue(name, { connection, prefix: `esc:{default:${name}}` });
  await queue.addBulk(
    runs.map(({ runId, dispatch }) => ({
      name: 'run',
      data: { v: 1, runId, dispatch },
      opts: { jobId: `again_${runId}_${dispatch}`, removeOnComplete: true, removeOnFail: true },
    })),
  );
  await queue.close();
}

/** Jobs of runs that are queued, at work and over are delivered once more. */
export const deliveredTwice: Fault = {
  name: 'duplicate-delivery',
  title: 'jobs delivered twice',
  async inject({ redisUrl, ledger }) {
    const fromMs = nowMs();
    const [recent, queued] = await Promise.all([ledger.recent(), ledger.queued()]);
    const twice = [...recent, ...queued.slice(0, 50)];
    for (const name of new Set(twice.map((run) => run.queue)))
      await deliverAgain(
        redisUrl,
        name,
        twice.filter((run) => run.queue === name),
      );
    return { fromMs, healedMs: nowMs(), repeated: twice.map(({ runId }) => runId), detail: `${twice.length} runs` };
  },
};

/** The planner's place in each task is set back by some seconds, as by a restored backup: it plans what is planned. */
export const planSetBack: Fault = {
  name: 'plan-set-back',
  title: 'tasks planned twice',
  async inject({ ledger }) {
    const fromMs = nowMs();
    const moved = await ledger.sql(`
      UPDATE task_plan plan SET next_run_at = planned.first, plan_seq = plan.plan_seq + 1
      FROM (
        SELECT task_id, min(scheduled_for) AS first FROM run
        WHERE origin = 'schedule' AND scheduled_for > now() - interval '5 s' GROUP BY task_id
      ) planned
      WHERE planned.task_id = plan.task_id AND plan.next_run_at IS NOT NULL RETURNING plan.task_id`);
    return { fromMs, healedMs: nowMs(), repeated: [`${moved.length} tasks`], detail: `${moved.length} tasks` };
  },
};

/** A task that takes down whoever runs it. It must be quarantined, and leave the others their workers. */
export const poisonTask: Fault = {
  name: 'poison',
  title: 'task that kills its worker',
  async inject(scene) {
    const fromMs = nowMs();
    const before = await scene.ledger.count('poison', ['quarantined']);
    await insertRuns(scene, 'poison', 1);
    let deaths = 0;
    for (const isOver = scene.probe.patience(2 * MINUTE); ; await delay(100)) {
      for (const member of scene.fleet.alive('worker')) member.doom();
      deaths += replaceDead(scene);
      if ((await scene.ledger.count('poison', ['quarantined'])) > before) break;
      if (isOver()) throw new Error('it was not quarantined within two minutes');
    }
    for (const member of scene.fleet.alive('worker')) member.pardon();
    const healedMs = nowMs();
    return { fromMs, healedMs, detail: `${deaths} workers died` };
  },
};

function replaceDead({ fleet }: Scene): number {
  const dead = fleet.members.filter((member) => member.role === 'worker' && member.wasKilled && !member.replaced);
  for (const member of dead) fleet.replace(member);
  return dead.length;
}

/** A task that takes down the process that was made for it: it fails, and nobody else notices. */
export const crashingTask: Fault = {
  name: 'crash',
  title: 'task that kills its own process',
  async inject(scene) {
    const fromMs = nowMs();
    await insertRuns(scene, 'crash', 3);
    await allBegun(scene, 'crash', 1 * MINUTE);
    return { fromMs, healedMs: nowMs(), excusedMs: fromMs, detail: '3 times at once' };
  },
};

/** A run that writes without end. */
export const logFlood: Fault = {
  name: 'log-flood',
  title: 'run that floods its log',
  async inject(scene) {
    const fromMs = nowMs();
    await insertRuns(scene, scene.size === 'full' ? 'flood-100mb' : 'flood-20mb', 1);
    await allBegun(scene, 'flood%', 1 * MINUTE);
    return { fromMs, healedMs: nowMs(), excusedMs: fromMs, detail: scene.size === 'full' ? '100 MB' : '20 MB' };
  },
};

/** More than the fleet can start within seconds. None may be lost, and the calendar goes on. */
export const thunderingHerd: Fault = {
  name: 'burst',
  title: 'many runs due at once',
  async inject(scene) {
    const count = scene.size === 'full' ? 100_000 : 1_000;
    const fromMs = nowMs();
    await insertRuns(scene, 'burst', count);
    await allBegun(scene, 'burst', 10 * MINUTE);
    const healedMs = nowMs();
    return { fromMs, healedMs, detail: `${count} runs in ${((healedMs - fromMs) / SECOND).toFixed(1)} s` };
  },
};

async function allBegun({ ledger, probe }: Scene, task: string, patienceMs: number): Promise<void> {
  const look = async () => (await ledger.count(task, OPEN_STATES)) === 0 || undefined;
  if (!(await lookFor(probe, patienceMs, look)))
    throw new Error(`runs of ${task} were still open after ${patienceMs} ms`);
}

/** Runs by hand, all due now. */
export async function insertRuns({ ledger }: Scene, task: string, count: number): Promise<void> {
  const now = systemClock.now();
  const ids = Array.from({ length: count }, () => newRunId(now));
  const inserted = await ledger.sql(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
       overlap, pool, need, due_at, requested_by)
     SELECT i.id, $3, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'planned', t.name, t.key_limit, t.overlap,
       t.pool, t.need, $3, 'chaos'
     FROM unnest($2::uuid[]) AS i(id), task t WHERE t.name = $1 RETURNING 1`,
    [task, ids, now.toISOString()],
  );
  if (inserted.length !== count) throw new Error(`${inserted.length} of ${count} runs of ${task} were inserted`);
}
