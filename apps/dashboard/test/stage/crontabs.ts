import { randomUUID } from 'node:crypto';
import { type By, DAY, MINUTE, newRunId, SECOND, systemClock } from '@escapement/core';
import { IN_SHADOW } from '@escapement/core/plan';
import { firesBetween, parseSchedule } from '@escapement/core/schedule';
import type { CronReport } from '@escapement/core/shadow';
import { importCrontab, receiveReports } from '@escapement/operations';
import { type Database, listTasks, type Task } from '@escapement/store';

export const HOST = 'web1';

/** What root runs, and what a user runs. */
const CRONTABS = [
  {
    name: `${HOST}:/etc/cron.d/shop`,
    system: true,
    text: '25 * * * * root /usr/local/bin/poll-orders --shop 7\n15 2 * * * root pg_dump shop | gzip > /backup/shop.gz\n',
  },
  { name: `${HOST}:/var/spool/cron/crontabs/ann`, system: false, text: '40 */6 * * * /home/ann/bin/mail-figures\n' },
];

const BACK_MS = 2 * DAY;

/** Crontabs of a host, which is patched for two days, as the ledger would have them. */
export async function addCrontabs(db: Database, by: By): Promise<void> {
  const now = systemClock.now();
  const terms = { shadow: true, timeZone: 'UTC', timeZoneFrom: '--tz', prune: false } as const;
  for (const crontab of CRONTABS) await importCrontab(db, { ...crontab, ...terms }, { by, now });
  const tasks = (await listTasks(db)).filter(({ definition }) => definition.shadow !== undefined);
  for (const task of tasks) {
    const fires = firesOf(task, now);
    await addSkipped(db, task, fires);
    const reports = fires.map((at, index) => reportOf(task, at, index));
    await receiveReports(db, { reports: told(task, reports), lines: [], answers: [] }, by);
  }
}

function firesOf({ definition, name }: Task, now: Date): Date[] {
  const schedule = parseSchedule(definition.schedule, { seed: name });
  return firesBetween(schedule, new Date(now.getTime() - BACK_MS), new Date(now.getTime() - 5 * MINUTE), 1000);
}

/** Of one line a start is missing, and nothing explains it; of another one two, before which the host was down. */
function told({ name }: Task, reports: readonly CronReport[]): CronReport[] {
  if (name.startsWith('mail')) return reports.filter((_, index) => index !== 3);
  if (!name.startsWith('poll')) return [...reports];
  // At noon: no other line of that host is due in between, at whatever time of day this is done.
  const down = reports.findIndex(({ startedAt }, index) => index > 10 && startedAt.getUTCHours() === 12);
  return reports
    .filter((_, index) => index !== down && index !== down + 1)
    .map((report, index) =>
      index === down ? { ...report, bootedAt: new Date(report.startedAt.getTime() - MINUTE) } : report,
    );
}

function reportOf(task: Task, at: Date, index: number): CronReport {
  const startedAt = new Date(at.getTime() + SECOND + (index % 3) * 400);
  const tookMs = task.name.startsWith('pg_dump') ? (48 + index) * SECOND : (3 + (index % 4)) * SECOND;
  return {
    ...{ id: randomUUID(), line: task.definition.shadow?.line ?? '', host: HOST, startedAt, bootedAt: null },
    ...{ endedAt: new Date(startedAt.getTime() + tookMs), exitCode: index % 17 === 5 ? 1 : 0, signal: null },
  };
}

/** What was due, and cron ran. */
async function addSkipped(db: Database, { id, name, version }: Task, fires: readonly Date[]): Promise<void> {
  for (const at of fires) await db.pool.query('SELECT make_partition($1, $2)', ['run', at.toISOString()]);
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, finished_at, watched)
     SELECT r.id, r.at, $1, $2, $3, 1, 'schedule', 'skipped', $4, $5, 1, 'allow', 'default', r.at, r.at, false
     FROM unnest($6::uuid[], $7::timestamptz[]) AS r(id, at)`,
    [
      ...[db.namespace, id, version, IN_SHADOW, name],
      ...[fires.map((at) => newRunId(at)), fires.map((at) => at.toISOString())],
    ],
  );
}
