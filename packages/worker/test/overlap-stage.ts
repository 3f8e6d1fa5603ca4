import { type Handler, newRunId, type TaskInput } from '@escapement/core';
import { testFleet } from '@escapement/testkit/fleet';
import { onTestFinished } from 'vitest';

/** Runs of one task on real servers, that arrive and end when a scenario says so: only the order of events is its time. */
export async function overlapStage() {
  const fleet = await testFleet();
  const opened = new Set<string>();
  const latches = new Map<string, () => void>();
  const asked = new Set<string>();
  const handler: Handler = async ({ run, signal }) => {
    signal.addEventListener('abort', () => asked.add(run.id));
    await new Promise<void>((resolve) => (opened.has(run.id) ? resolve() : latches.set(run.id, resolve)));
    signal.throwIfAborted();
    return { status: 'succeeded' };
  };
  await fleet.startWorker(handler);
  await fleet.startWorker(handler);

  /** Puts a run of the task into the ledger, due long ago, without telling anybody. */
  async function due(task: string, scheduledFor: Date, overlap?: string): Promise<string> {
    const id = newRunId(scheduledFor);
    await fleet.db.pool.query(
      `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
         overlap, pool, need, due_at, dispatch)
       SELECT $1, $2, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'queued', t.name, t.key_limit,
         coalesce($4, t.overlap), t.pool, t.need, $2, 1
       FROM task t WHERE t.name = $3`,
      [id, scheduledFor, task, overlap ?? null],
    );
    return id;
  }

  return {
    save: (name: string, overlap: TaskInput['overlap']) => fleet.save({ name, overlap }),
    due,
    /** Its job comes to a worker. Resolves with what the run does first. */
    async deliver(runId: string) {
      const answer = Promise.race([
        fleet.event('run_started', ({ run }) => run === runId),
        fleet.event('run_waiting', ({ run }) => run === runId),
        fleet.event('run_not_started', ({ run }) => run === runId),
      ]);
      await fleet.queue.add([{ queue: 'default+shell', runId, dispatch: 1, delayMs: 0 }]);
      return (await answer).event;
    },
    /** Its handler ends. Resolves with the run that takes its place, if one is to. */
    async end(runId: string, hasNext: boolean): Promise<string | undefined> {
      const finished = fleet.event('run_finished', ({ run }) => run === runId);
      const next = hasNext ? fleet.event('run_started') : undefined;
      opened.add(runId);
      latches.get(runId)?.();
      await finished;
      return (await next)?.run;
    },
    /** Resolves when a running run has been asked to stop. */
    async askedToStop(runId: string): Promise<void> {
      while (!asked.has(runId)) await new Promise((resolve) => setImmediate(resolve));
    },
    async rows(task: string) {
      const { rows } = await fleet.db.pool.query<{ id: string; state: string; blocked_by: string | null }>(
        `SELECT r.id, r.state, r.blocked_by FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 ORDER BY r.id`,
        [task],
      );
      return rows;
    },
    /** Lets everything that is at work end when the test is over. */
    openAllAfterwards(): void {
      onTestFinished(() => {
        for (const [id, open] of latches) {
          opened.add(id);
          open();
        }
      });
    },
  };
}

export type OverlapStage = Awaited<ReturnType<typeof overlapStage>>;
