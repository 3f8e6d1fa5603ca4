import type { ChildProcess } from 'node:child_process';
import { openDatabase } from '@escapement/store';
import { pause, startApp, stopApp } from './apps.ts';
import { rssMbOf } from './cpu.ts';
import { PATIENT } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { createMeter, PARTS, type Usage } from './meter.ts';
import { YEARLY } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { figure, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const SECONDS = 60;
/** Some 20 s after its start V8 makes the heap of each process smaller, once: that takes 0.4 s of a processor, and is no cost of an idle fleet. */
const SETTLE_MS = 45_000;
const TASKS = 100;

/**
 * `idle [SECONDS]`: the scheduler and the worker as an image starts them, with tasks of which none is due: processor time
 * of each and of both servers, resident memory.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const seconds = Number(args[0] ?? SECONDS);
  const servers = await startServers();
  const apps: ChildProcess[] = [];
  try {
    apps.push(startApp('scheduler', servers), startApp('worker', servers));
    return await measure(servers, apps, seconds);
  } finally {
    await Promise.all(apps.map(stopApp));
    await servers.stop();
  }
}

async function measure(servers: BenchServers, apps: readonly ChildProcess[], seconds: number): Promise<Figures> {
  const [scheduler = 0, worker = 0] = apps.map(({ pid }) => pid);
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  try {
    await insertTasks(db, TASKS, () => ({ spec: YEARLY, nextRunAt: NEVER }));
    const meter = await createMeter(servers, db, { scheduler: [scheduler], worker: [worker] });
    await pause(SETTLE_MS);
    const from = await meter.start();
    await pause(seconds * 1000);
    const usage = await meter.usage(from, await meter.end());
    meter.close();
    const rss = { scheduler: rssMbOf(scheduler), worker: rssMbOf(worker) };
    print(usage, rss, seconds);
    return { idleCpu: shareOf(total(usage), seconds), idleRss: rss.worker };
  } finally {
    await db.close();
  }
}

function print(usage: Usage, rss: { scheduler: number; worker: number }, seconds: number): void {
  const parts = PARTS.filter((part) => part !== 'adder');
  const each = (value: number) => figure(value / seconds, 1);
  process.stdout.write(
    `\n${tableOf([
      ['idle fleet', ...parts, 'all'],
      [
        '% of a core',
        ...[...parts.map((part) => usage.cpuUs[part]), total(usage)].map((us) => figure(shareOf(us, seconds), 2)),
      ],
      ['RSS MB', ...parts.map((part) => (part === 'scheduler' || part === 'worker' ? figure(rss[part]) : '')), ''],
    ])}a second: ${each(usage.statements)} statements, ${each(usage.commits)} commits, ${each(usage.walBytes)} bytes of WAL, ` +
      `${each(usage.commands)} Redis commands\n`,
  );
}

export function total({ cpuUs }: Usage): number {
  return PARTS.reduce((sum, part) => sum + cpuUs[part], 0);
}

/** Percent of one core. */
export function shareOf(us: number, seconds: number): number {
  return us / seconds / 10_000;
}
