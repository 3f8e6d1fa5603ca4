import { SECOND, systemClock } from '@escapement/core';
import { type AlertingInput, type AlertMessage, alertingSpec, type ReceiverSpec } from '@escapement/core/alerts';
import { triggerTask } from '@escapement/operations';
import { listAlerts, saveAlertingVersion } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { afterEach, expect } from 'vitest';
import type { SendResult } from '../src/alerts/receivers/send-result.ts';
import { createAlerts, createDeliverer } from '../src/index.ts';

export type Watchers = ReturnType<Awaited<ReturnType<typeof alertedFleet>>['watchers']>;

/** A fleet whose tasks do what a test says, and what looks after it, a look at a time. */
export async function alertedFleet() {
  const fleet = await testFleet();
  const { db } = fleet;
  /** What a task of this name does; success where nothing is said. */
  const ends = new Map<string, () => Promise<{ status: 'succeeded'; output?: { rows: number } }>>();
  /** For how long Redis has been away, as the scheduler sees it. */
  const redis: { awayMs: number | null } = { awayMs: null };
  await fleet.startWorker(async ({ run, log }) => {
    log.write(`${run.taskName} runs\n`);
    return (await ends.get(run.taskName)?.()) ?? { status: 'succeeded' };
  });

  afterEach(async () => {
    await db.pool.query(
      'DELETE FROM alerting; DELETE FROM alert; DELETE FROM delivery; DELETE FROM alert_fact; DELETE FROM alert_silence',
    );
    redis.awayMs = null;
  });

  return {
    fleet,
    db,
    ends,
    redis,
    fails(name: string): void {
      ends.set(name, async () => {
        throw new Error('no disk left');
      });
    },
    succeeds: (name: string): void => void ends.delete(name),
    async run(name: string): Promise<string> {
      const id = await triggerTask(db, name, { by: by('test') });
      const finished = fleet.event('run_finished', (event) => event.run === id);
      await fleet.dispatcher.runOnce();
      await finished;
      return id;
    },
    /** A run that nothing starts. */
    async openRun(task: string): Promise<string> {
      await fleet.save({ name: task, pool: 'nobody' });
      return await triggerTask(db, task, { by: by('test') });
    },
    set: (id: string, what: string) => db.pool.query(`UPDATE run SET ${what} WHERE id = $1`, [id]),
    /** Skips 120 runs that are due after a run, as a long one has it. */
    async crowd(id: string): Promise<void> {
      await db.pool.query(
        `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at, finished_at)
         SELECT gen_random_uuid(), r.scheduled_for + n * interval '1 s', r.namespace, r.task_id, r.task_version, r.plan_epoch, 'schedule', 'skipped', 'the one before runs',
           r.key, r.key_limit, r.overlap, r.pool, r.due_at + n * interval '1 s', r.finished_at
         FROM run r, generate_series(1, 120) n WHERE r.id = $1`,
        [id],
      );
    },
    async rules(document: AlertingInput): Promise<void> {
      await db.pool.query('DELETE FROM alerting');
      await saveAlertingVersion(db, {
        definition: alertingSpec.parse(document),
        expectedVersion: null,
        by: by('test'),
      });
    },
    open: async () => (await listAlerts(db, { limit: 100 })).map(({ state, summary }) => `${state}: ${summary}`),
    /** A scheduler that looks, and one that sends; what it sends is kept. */
    watchers(results: SendResult[] = [], onError = (error: unknown): unknown => expect.fail(String(error))) {
      const sent: { message: AlertMessage; receiver: ReceiverSpec }[] = [];
      const common = { db: fleet.as.scheduler, clock: systemClock, onError };
      const defaults = { email: ['fleet@example.com'], webhook: [] };
      const options = { ...common, defaults, deadMs: 10 * SECOND, redisAwayMs: () => redis.awayMs };
      const alerts = createAlerts({ ...options, holder: `holder-${Math.random()}` });
      const deliverer = createDeliverer({
        ...common,
        defaults,
        emit: () => undefined,
        traceUrl: 'https://traces.example.com/{trace_id}',
        apiUrl: 'https://jobs.example.com',
        render: ({ notes }) => notes.map(({ summary }) => summary).join('\n'),
        async send(message, receiver) {
          sent.push({ message, receiver });
          return results.shift() ?? { status: 'sent', detail: 'ok' };
        },
      });
      return {
        sent,
        /** What the messages of a look say. */
        async look(): Promise<string[]> {
          await db.pool.query(`DELETE FROM cluster_lock WHERE name = 'alerts'`);
          await alerts.runOnce().catch(onError);
          await db.pool.query(
            `UPDATE delivery SET try_at = now() - interval '1 s', created_at = created_at - interval '1 h' WHERE state = 'pending'`,
          );
          const before = sent.length;
          await deliverer.runOnce();
          return sent
            .slice(before)
            .flatMap(({ message }) => message.notes.map(({ state, summary }) => `${state}: ${summary}`));
        },
      };
    },
  };
}
