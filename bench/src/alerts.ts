import { actionOf, HOUR, processPrincipal, SECOND } from '@escapement/core';
import { type AlertingInput, alertingSpec } from '@escapement/core/alerts';
import { openDatabase, saveAlertingVersion } from '@escapement/store';
import { pause, startApp, stopApp } from './apps.ts';
import { PATIENT } from './fleet.ts';
import { shareOf, total } from './idle.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { createMeter, PARTS } from './meter.ts';
import { YEARLY } from './rounds.ts';
import { startServers } from './servers.ts';
import { figure, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const TASKS = 100_000;
const SECONDS = 60;
/** Until the scheduler has read the tasks, and when each succeeded last. */
const SETTLE_MS = 45_000;

const NONE: AlertingInput = { rules: [] };

/** A rule for all tasks of each kind that looks at each, and those for the fleet. */
const ALL: AlertingInput = {
  rules: [
    { name: 'failed', when: { kind: 'failed' } },
    { name: 'missed', when: { kind: 'missed' } },
    { name: 'late', when: { kind: 'late', afterMs: 60 * SECOND } },
    { name: 'waiting', when: { kind: 'waiting', afterMs: 600 * SECOND } },
    { name: 'slow', when: { kind: 'slow', timesP95: 3, afterMs: HOUR } },
    { name: 'silent', when: { kind: 'silent', afterMs: 600 * SECOND } },
    { name: 'unknown', when: { kind: 'unknown' } },
    { name: 'held', when: { kind: 'held' } },
    { name: 'no-success', when: { kind: 'no-success', forMs: 26 * HOUR } },
    { name: 'suspicious', when: { kind: 'suspicious', underUsual: 0.1 } },
    { name: 'unplannable', when: { kind: 'unplannable' } },
    { name: 'no-worker', when: { kind: 'no-worker' } },
    { name: 'redis-away', when: { kind: 'redis-away' } },
    { name: 'overdue', when: { kind: 'overdue', overMs: 60 * SECOND } },
  ],
};

/**
 * `alerts [SECONDS]`: a scheduler and a worker as an image starts them, with 100,000 tasks of which none is due: processor time with no rule,
 * and with a rule of each kind for all tasks. The difference is what it costs to watch them.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const seconds = Number(args[0] ?? SECONDS);
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  const apps = [startApp('scheduler', servers), startApp('worker', servers)];
  try {
    await insertTasks(db, TASKS, () => ({ spec: YEARLY, nextRunAt: NEVER }));
    const [scheduler = 0, worker = 0] = apps.map(({ pid }) => pid);
    const meter = await createMeter(servers, db, { scheduler: [scheduler], worker: [worker] });
    const shares: number[] = [];
    const lines: string[][] = [];
    let version: number | null = null;
    for (const [name, document] of [
      ['no rules', NONE],
      ['a rule of each kind', ALL],
    ] as const) {
      version = await saveAlertingVersion(db, {
        definition: alertingSpec.parse(document),
        expectedVersion: version,
        by: actionOf(processPrincipal('bench')),
      });
      await pause(SETTLE_MS);
      const from = await meter.start();
      await pause(seconds * SECOND);
      const usage = await meter.usage(from, await meter.end());
      shares.push(shareOf(total(usage), seconds));
      lines.push([
        name,
        ...PARTS.map((part) => figure(shareOf(usage.cpuUs[part], seconds), 2)),
        figure(shares.at(-1) ?? 0, 2),
      ]);
    }
    meter.close();
    const [without = 0, watched = 0] = shares;
    process.stdout.write(
      `\n${tableOf([['% of a core', ...PARTS, 'all'], ...lines])}to watch ${TASKS} tasks: ${figure(watched - without, 2)} % of a core\n`,
    );
    return { alerts: watched - without };
  } finally {
    await Promise.all(apps.map(stopApp));
    await db.close();
    await servers.stop();
  }
}
