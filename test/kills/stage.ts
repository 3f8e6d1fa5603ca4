import { randomUUID } from 'node:crypto';
import { type Handler, MINUTE, OPEN_STATES, SECOND, systemClock, type TaskInput } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { listLeases } from '@escapement/queue';
import { afterFile, by, killAfter, paceOf, stopwatch } from '@escapement/testkit';
import { activeOn, testFleet } from '@escapement/testkit/fleet';
import { z } from 'zod';
import { type DueTimes, everyGrid } from '../chaos/due.ts';
import type { Call, Evidence, FaultWindow, LoadTask } from '../chaos/evidence.ts';
import { openLedger } from '../chaos/ledger.ts';
import type { Step } from '../chaos/scheduler-steps.ts';

/** From here on intervals ride BullMQ's repeatable jobs. */
const REPEATED_MS = 5 * SECOND;
/** A lease and a heartbeat are believed for much longer than all of it lasts: nothing is lost but what is made to be. */
const LEASE_MS = 60 * SECOND;
const HEALED_WITHIN_MS = 20 * SECOND;

/** What the checker is told of each task. */
const RULES = {
  limit: 1,
  inOrder: false,
  atMostOnce: false,
  maxAttempts: 1,
} as const;

/** What was asked for by hand; and what was due a moment ago: what is due this very moment is on its way. */
const UNFINISHED = `SELECT id FROM run WHERE state = ANY ($1) AND (origin = 'trigger' OR due_at < now() - interval '100 ms')`;

type Fleet = Awaited<ReturnType<typeof testFleet>>;
type Replica = Pick<Fleet, 'planner' | 'dispatcher' | 'repeatableJobSync' | 'reconciler'>;

const passOf: Record<Step['pass'], (replica: Replica) => Promise<unknown>> = {
  planner: ({ planner }) => planner.runOnce(),
  dispatcher: ({ dispatcher }) => dispatcher.runOnce(),
  'repeatable-job-sync': ({ repeatableJobSync }) => repeatableJobSync.runOnce(),
  reconciler: ({ reconciler }) => reconciler.runOnce(),
};

/** A worker, a scheduler that heals, and schedulers that are killed; all passes are made by hand. What was seen goes to the checker. */
export async function setStage() {
  const fleet = await testFleet({ repeatableFromMs: REPEATED_MS, repeatableUpToMs: 2 * REPEATED_MS });
  const ledger = openLedger(fleet.db.url);
  afterFile(() => ledger.close());
  await ledger.keepHistory();
  const calls: Call[] = [];
  const faults: FaultWindow[] = [];
  const tasks: Omit<LoadTask, 'effectiveMs'>[] = [];
  const worker = await fleet.startWorker(noting(calls), 'worker-1');

  async function save(name: string, dueAt: DueTimes, more: Partial<TaskInput & Pick<LoadTask, 'endsAs'>> = {}) {
    const { endsAs = ['succeeded'], ...input } = more;
    tasks.push({ ...RULES, name, key: name, dueAt, endsAs, allowsOverlap: input.overlap === 'allow' });
    // The usual one of dense schedules would make misfires of what a busy machine begins late, and no pass here looks for those.
    await fleet.save({ name, misfireThresholdMs: MINUTE, ...input });
  }

  /** Gives a pass something to do. */
  const prepare: Record<Step['pass'], (name: string) => Promise<void>> = {
    async planner(name) {
      await save(name, everyGrid(SECOND), { schedule: { kind: 'every', everyMs: SECOND } });
    },
    async dispatcher(name) {
      await save(name, never, { overlap: 'allow' });
      for (let run = 0; run < 3; run++) await triggerTask(fleet.db, name, { by: by('test') });
    },
    async 'repeatable-job-sync'(name) {
      const everyMs = REPEATED_MS;
      // Of a task that is no more.
      await fleet.jobSchedulers.put([{ queue: 'default+shell', taskId: randomUUID(), everyMs, phaseMs: 0 }]);
      await save(name, everyGrid(everyMs), { schedule: { kind: 'every', everyMs } });
    },
    async reconciler(name) {
      await save(`lost-${name}`, never);
      await activeOn(fleet.db, `gone-${name}`, `lost-${name}`);
      await save(`cancelled-${name}`, never, { endsAs: ['cancelled'] });
      const id = await triggerTask(fleet.db, `cancelled-${name}`, { by: by('test') });
      await ledger.sql(`UPDATE run SET cancel_requested_at = now(), cancel_requested_by = 'ann' WHERE id = $1`, [id]);
      await save(`late-${name}`, never, { endsAs: ['missed'] });
      const late = await triggerTask(fleet.db, `late-${name}`, { by: by('test') });
      await ledger.sql(`UPDATE run SET start_by = now() - interval '1 s' WHERE id = $1`, [late]);
      // Its key is free: it may be woken before somebody sees that it has waited for too long.
      await save(`overwaited-${name}`, never, { overlap: 'wait-one', endsAs: ['skipped', 'succeeded'] });
      const waiting = await triggerTask(fleet.db, `overwaited-${name}`, { by: by('test') });
      await ledger.sql(
        `UPDATE run SET state = 'waiting', waiting_since = now(), wait_until = now() - interval '1 s' WHERE id = $1`,
        [waiting],
      );
      await save(`forgotten-${name}`, never);
      await queuedWithoutJob(`forgotten-${name}`);
    },
  };

  async function queuedWithoutJob(name: string): Promise<void> {
    const id = await triggerTask(fleet.db, name, { by: by('test') });
    await ledger.sql(`UPDATE run SET state = 'queued', dispatch = dispatch + 1 WHERE id = $1`, [id]);
  }

  /** For the locks by which one replica is chosen: its turn is over, and it has not come for the next. */
  async function locksLapse(): Promise<void> {
    await ledger.sql(
      `UPDATE cluster_lock SET taken_at = taken_at - interval '10 s', held_until = held_until - interval '10 s'`,
    );
  }

  /** What is not as it should be, and what is not yet done. */
  async function amiss(): Promise<string[]> {
    const queued = await ledger.queued();
    const present = await fleet.queue.present(queued);
    const leases = await listLeases(fleet.connection);
    const over = await ledger.over(leases.map(({ runId }) => runId));
    const unfinished = z.array(z.object({ id: z.string() })).parse(await ledger.sql(UNFINISHED, [OPEN_STATES]));
    return [
      ...(await ledger.amiss({ dead: [], leaseMs: LEASE_MS })),
      ...unfinished.map(({ id }) => `run ${id} has not ended`),
      ...queued.filter((_, index) => !present[index]).map(({ runId }) => `run ${runId} is queued and has no job`),
      ...leases.filter(({ runId }) => over.has(runId)).map(({ runId }) => `run ${runId} is over and has a lease`),
    ];
  }

  /** Kills a scheduler right after a step of a pass that has something to do. */
  async function killAfterStep(step: Step, name: string): Promise<void> {
    const doomed = await fleet.newReplica(`scheduler-of-${name}`);
    await prepare[step.pass](name);
    await locksLapse();
    await killAfter(step, () => passOf[step.pass](doomed), doomed.die);
    const nowMs = systemClock.now().getTime();
    faults.push({ name, fromMs: nowMs, healedMs: nowMs, detail: '' });
  }

  /** The other scheduler makes its passes until nothing is amiss. Returns what is, where that takes too long. */
  async function heal(): Promise<string[]> {
    for (const tookMs = await stopwatch(); ; ) {
      await locksLapse();
      for (const pass of Object.values(passOf)) await pass(fleet);
      const left = await amiss();
      if (left.length === 0 || (await tookMs()) > HEALED_WITHIN_MS) return left;
    }
  }

  async function evidence(): Promise<Evidence> {
    // Runs that are due go on: rows, their history and calls would be of different moments.
    await worker.stop(5 * SECOND);
    const effective = await ledger.effective();
    const nowMs = systemClock.now().getTime();
    return {
      tasks: tasks.map((task) => ({ ...task, effectiveMs: effective.get(task.name) ?? Number.NaN })),
      runs: await ledger.runs(),
      moves: await ledger.moves(),
      calls,
      faults,
      pace: paceOf([]),
      leaseMs: LEASE_MS,
      members: [],
      workersStopMs: nowMs,
      schedulersStopMs: nowMs,
    };
  }

  return { killAfterStep, amiss, heal, evidence };
}

const never: DueTimes = () => [];

/** Notes each call, and is through at once. */
function noting(calls: Call[]): Handler {
  return async ({ run }) => {
    const atMs = systemClock.now().getTime();
    const { id: runId, taskName: task, attempt } = run;
    calls.push({ runId, task, attempt, fence: Number(run.fence), startMs: atMs, endMs: atMs, outcome: 'ok' });
    return { status: 'succeeded' };
  };
}
