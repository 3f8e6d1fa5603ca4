import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { actionOf, newRunId, processPrincipal, SECOND, systemClock } from '@escapement/core';
import { alertingSpec } from '@escapement/core/alerts';
import { type Database, openDatabase, saveAlertingVersion } from '@escapement/store';
import { pause, startApp, stopApp } from './apps.ts';
import { PATIENT } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { createMeter } from './meter.ts';
import { YEARLY } from './rounds.ts';
import { startServers } from './servers.ts';
import { figure, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const TASKS = 10_000;
/** Until the scheduler has read the document. */
const SETTLE_MS = 10_000;
const POLL_MS = 250;
const MOST_MS = 600 * SECOND;

/** A receiver of webhooks, and what it was sent. */
async function startReceiver() {
  const sent = { messages: 0, bytes: 0, largest: 0 };
  const server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    sent.messages++;
    sent.bytes += bytes;
    sent.largest = Math.max(sent.largest, bytes);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { sent, url: `http://127.0.0.1:${port}/`, stop: () => void server.close() };
}

/** A run of each task that ends so now: as a worker ends runs, so that what watches ends is told. */
async function endRuns(db: Database, state: 'failed' | 'succeeded'): Promise<void> {
  const at = systemClock.now();
  const ids = Array.from({ length: TASKS }, () => newRunId(at));
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, started_at, worker, attempt, slot, fence)
     SELECT i.id, $2, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'running', t.key_template, t.key_limit, t.overlap, t.pool,
       $2, $2, 'bench', 1, 1, 1
     FROM unnest($1::uuid[]) WITH ORDINALITY AS i(id, place) JOIN task t ON t.name = 'bench-' || (i.place - 1)`,
    [ids, at.toISOString()],
  );
  await db.pool.query(
    `UPDATE run SET state = $3, reason = CASE $3 WHEN 'failed' THEN 'exit code 1' END, finished_at = now()
     WHERE id = ANY ($1::uuid[]) AND scheduled_for = $2`,
    [ids, at.toISOString(), state],
  );
}

interface Wave {
  /** How many alerts are so. */
  open: number;
  unnotified: number;
  pending: number;
}

async function look(db: Database): Promise<Wave> {
  const { rows } = await db.pool.query<Wave>(
    `SELECT count(*) FILTER (WHERE state = 'firing')::integer AS open, count(*) FILTER (WHERE tell IS NOT NULL)::integer AS unnotified,
       (SELECT count(*)::integer FROM delivery WHERE state = 'pending') AS pending FROM alert`,
  );
  return rows[0] ?? { open: 0, unnotified: 0, pending: 0 };
}

/** Kilobytes of memory that a process has in use. */
function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** Seconds until so many alerts fire, until all are handed to messages, until all messages are sent. */
async function follow(db: Database, pid: number, open: number) {
  const from = systemClock.monotonicMs();
  const seconds = () => (systemClock.monotonicMs() - from) / SECOND;
  let peakKb = 0;
  const reached: { opened?: number; handed?: number; sent?: number } = {};
  while (reached.sent === undefined) {
    if (seconds() > MOST_MS / SECOND) throw new Error('the wave is not over after ten minutes');
    const now = await look(db);
    peakKb = Math.max(peakKb, residentKb(pid));
    if (now.open === open) reached.opened ??= seconds();
    if (reached.opened !== undefined && now.unnotified === 0) reached.handed ??= seconds();
    if (reached.handed !== undefined && now.pending === 0) reached.sent = seconds();
    else await pause(POLL_MS);
  }
  return { ...reached, peakKb };
}

/**
 * `alert-wave`: 10,000 tasks fail at the same moment, and succeed at another: how long it takes until all alerts are open, handed to
 * messages and sent to a webhook, what that costs, how large the messages are.
 */
export async function run(): Promise<Figures> {
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  const receiver = await startReceiver();
  const app = startApp('scheduler', servers, { ESCAPEMENT_EGRESS: 'loopback' });
  try {
    const pid = app.pid ?? 0;
    await insertTasks(db, TASKS, () => ({ spec: YEARLY, nextRunAt: NEVER }));
    const definition = alertingSpec.parse({
      rules: [{ name: 'failed', when: { kind: 'failed' } }],
      receivers: { hook: { type: 'webhook', url: receiver.url } },
      routes: [{ receivers: ['hook'] }],
    });
    await saveAlertingVersion(db, { definition, expectedVersion: null, by: actionOf(processPrincipal('bench')) });
    await pause(SETTLE_MS);
    const meter = await createMeter(servers, db, { scheduler: [pid] });
    const lines = [
      [
        '',
        'open or over, s',
        'handed, s',
        'sent, s',
        'scheduler, s',
        'postgres, s',
        'messages',
        'largest, KB',
        'peak, MB',
      ],
    ];
    const idleMb = residentKb(pid) / 1000;
    for (const [state, open] of [
      ['failed', TASKS],
      ['succeeded', 0],
    ] as const) {
      const before = { ...receiver.sent };
      receiver.sent.largest = 0;
      const from = await meter.start();
      await endRuns(db, state);
      const { opened = 0, handed = 0, sent = 0, peakKb } = await follow(db, pid, open);
      const { cpuUs } = await meter.usage(from, await meter.end());
      lines.push([
        ...[state, figure(opened, 1), figure(handed, 1), figure(sent, 1)],
        ...[cpuUs.scheduler, cpuUs.postgres].map((us) => figure(us / 1e6, 1)),
        ...[
          String(receiver.sent.messages - before.messages),
          figure(receiver.sent.largest / 1000, 0),
          figure(peakKb / 1000, 0),
        ],
      ]);
    }
    meter.close();
    process.stdout.write(`\n${tableOf(lines)}memory of the scheduler before it: ${figure(idleMb, 0)} MB\n`);
    return {};
  } finally {
    await stopApp(app);
    receiver.stop();
    await db.close();
    await servers.stop();
  }
}
