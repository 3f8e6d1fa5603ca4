import { SECOND, systemClock } from '@escapement/core';
import { administer, type Cluster, eventually, migrateWithRoles, systemPostgres } from '@escapement/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Site, type Start, site, witness } from './restored/site.ts';

const postgres = systemPostgres();
const { starts, command } = witness();

const shell = (name: string, then?: string) => ({ type: 'shell', command: command(name, then) }) as const;
const everySecond = { kind: 'every', everyMs: SECOND } as const;
const TASKS = [
  { name: 'each', schedule: everySecond, handler: shell('each') },
  // After an outage it would run all that it has missed.
  {
    name: 'all',
    schedule: { kind: 'cron', expression: '* * * * * *', timeZone: 'UTC' },
    catchUp: 'all',
    misfireThresholdMs: 500,
    handler: shell('all'),
  },
  { name: 'after-end', schedule: { kind: 'fixed-delay', delayMs: SECOND }, handler: shell('after-end') },
  { name: 'slow', handler: shell('slow', 'sleep 5') },
] as const;

let dump: string;
let before: Start[];
let lostAt: Date;

describe.skipIf(postgres === undefined)('a fleet whose Postgres was destroyed, and restored from a dump', () => {
  beforeAll(async () => {
    dump = required().folder();
    const old = await required().create();
    await administer(old.url, 'CREATE DATABASE ledger');
    await migrateWithRoles(inLedger(old));
    const first = await site(inLedger(old));
    await first.save(TASKS);
    await first.start();
    await first.cli('tasks', 'trigger', 'slow');
    await startOf('slow', 1);
    await required().run('pg_dump', '-Fc', '-f', dump, inLedger(old));
    // Nearly all that the dump shows as under way ends, and what comes after it runs.
    const count = starts().length;
    await eventually(() => expect(starts().length).toBeGreaterThan(count + 9));
    await first.kill();
    await old.stop();
    before = starts();
    lostAt = systemClock.now();
  });

  test('does nothing again, and nothing of the past, once the copy was accepted', async () => {
    const restored = await restore();
    const seen = await restored.cli('restore-check', '-o', 'json');
    expect(seen).toMatchObject({ code: 1 });
    const said = JSON.parse(seen.stdout);
    expect(said).toMatchObject({ ok: false, copied: true, open: true, work: { running: expect.any(Number) } });
    expect(said.work.running).toBeGreaterThan(0);
    expect(said.gap.map(({ task }: { task: string }) => task)).toEqual(expect.arrayContaining(['each', 'all']));
    expect((await restored.cli('restore-check', '--apply')).stderr).toContain('--reason');
    const applied = await restored.cli('restore-check', '--apply', '--reason', 'the disk is gone');
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[1-9]\d* runs? ended as unknown/) });
    expect((await restored.cli('restore-check', '--apply', '--reason', 'again')).stdout).toContain('nothing to do');
    expect((await restored.cli('restore-check')).code).toBe(0);

    await restored.start();
    for (const task of ['each', 'all']) await startOf(task, countOf(before, task) + 2);
    await restored.stop();
    const after = starts().slice(before.length);
    const ranBefore = new Set(before.map(({ runId }) => runId));
    expect(after.filter(({ runId }) => ranBefore.has(runId))).toEqual([]);
    expect(after.filter(({ scheduledFor }) => scheduledFor < lostAt)).toEqual([]);
    const given = before.map(({ fence }) => fence).reduce((one, other) => (one > other ? one : other));
    expect(after.filter(({ fence }) => fence <= given)).toEqual([]);
    expect((await restored.cli('runs', 'list', '--state', 'unknown')).stdout).toContain('slow');
    const kept = await restored.sql<{ occurrences: number; reason: string }>(
      `SELECT sum(occurrences)::integer AS occurrences, min(reason) AS reason FROM run WHERE reason LIKE 'lost with the database: %'`,
    );
    expect(kept[0]?.occurrences).toBeGreaterThan(2);
    expect(kept[0]?.reason).toMatch(/^lost with the database: the copy of \S+Z, .* does not say what ran until \S+Z$/);
    await verified(restored);
    const audit = JSON.parse((await restored.cli('audit', 'log', '--on', 'namespace:default', '-o', 'json')).stdout);
    expect(audit).toMatchObject([{ action: 'accept_copy', reason: 'the disk is gone' }]);
  });

  test('is not worked on before that; and runs again what somebody asks it to', async () => {
    const restored = await restore();
    for (const statement of AGED) await restored.sql(statement);
    for (const role of ['scheduler', 'worker'] as const) {
      const program = await restored.refused(role);
      expect(await program.waitForLine('was restored from a dump')).toContain('escapement restore-check');
      expect(await program.exited).toMatchObject({ code: 3 });
    }
    const count = starts().length;
    const kept = await restored.cli(
      'restore-check',
      '--apply',
      '--runs',
      'keep',
      '--gap',
      'catch-up',
      '--reason',
      'a test',
    );
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('open runs start again') });
    await restored.start();
    const slow = before.find(({ task }) => task === 'slow');
    await eventually(() =>
      expect(starts().slice(count)).toContainEqual(expect.objectContaining({ task: 'slow', runId: slow?.runId })),
    );
    await restored.kill();
  });

  test('is not worked on before that by programs that were not stopped, nor beside them', async () => {
    const cluster = await required().create();
    await administer(cluster.url, 'CREATE DATABASE ledger');
    await migrateWithRoles(inLedger(cluster));
    const survivor = await site(inLedger(cluster));
    await survivor.start();
    await administer(cluster.url, 'CREATE DATABASE copy');
    await restoreInto(databaseOf(cluster, 'copy'));
    for (const statement of AGED) await administer(databaseOf(cluster, 'copy'), statement);
    await administer(cluster.url, 'DROP DATABASE ledger WITH (FORCE)');
    await administer(cluster.url, 'ALTER DATABASE copy RENAME TO ledger');
    const restored = await site(inLedger(cluster));
    for (const program of survivor.programs()) {
      expect(await program.waitForLine('was restored from a dump', 60 * SECOND)).toContain('escapement restore-check');
      expect(await program.exited).toMatchObject({ code: 3 });
    }
    const program = await restored.refused('scheduler');
    await program.waitForLine('was restored from a dump', 60 * SECOND);
    expect(await program.exited).toMatchObject({ code: 3 });
    const seen = JSON.parse((await restored.cli('restore-check', '-o', 'json')).stdout);
    expect(seen).toMatchObject({ ok: false, copied: true, open: true });
    expect(new Date(seen.copyAt).getTime()).toBeLessThan(lostAt.getTime());
  });
});

const TWO_MINUTES_AGO = `now() - interval '2 min'`;
/** What makes a dump two minutes old. */
const AGED = [
  `UPDATE ledger_origin SET alive_at = ${TWO_MINUTES_AGO}`,
  `UPDATE process SET heartbeat_at = ${TWO_MINUTES_AGO}`,
  `UPDATE cluster_lock SET taken_at = ${TWO_MINUTES_AGO}`,
];

async function restore(): Promise<Site> {
  const fresh = await required().create();
  await administer(fresh.url, 'CREATE DATABASE ledger');
  await restoreInto(inLedger(fresh));
  await migrateWithRoles(inLedger(fresh));
  return await site(inLedger(fresh));
}

async function restoreInto(databaseUrl: string): Promise<void> {
  await required().run('pg_restore', '--no-owner', '--no-acl', '-d', databaseUrl, dump);
}

async function verified(one: Site): Promise<void> {
  await eventually(async () => {
    const { code, stdout, stderr } = await one.cli('verify-ledger', '--from', '10m');
    expect(`${stdout}${stderr}`).toMatch(/no gap|0 gaps/);
    expect(code).toBe(0);
  });
}

function countOf(all: readonly Start[], task: string): number {
  return all.filter((start) => start.task === task).length;
}

async function startOf(task: string, count: number): Promise<void> {
  await eventually(() => expect(countOf(starts(), task)).toBeGreaterThanOrEqual(count));
}

function required() {
  if (!postgres) throw new Error('no Postgres of the system');
  return postgres;
}

function inLedger(cluster: Cluster): string {
  return databaseOf(cluster, 'ledger');
}

function databaseOf({ url }: Cluster, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
