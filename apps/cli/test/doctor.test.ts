import { moveRedis, writeHeartbeat } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();

interface Finding {
  subject: string;
  level: string;
  detail: string;
}

async function examine(environment: Record<string, string>): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout } = await runCli(['doctor', '-o', 'json'], { env: environment });
  return { code, findings: JSON.parse(stdout).findings };
}

const problems = (findings: Finding[]) =>
  findings.filter(({ level }) => level === 'problem').map(({ subject }) => subject);

test('without scheduler and worker doctor says so and ends with 1', async () => {
  const { code, findings } = await examine(env);
  expect(code).toBe(1);
  expect(problems(findings)).toEqual(expect.arrayContaining(['Schedulers', 'Workers']));
  expect(findings).toContainEqual(
    expect.objectContaining({
      subject: 'Postgres',
      level: 'ok',
      detail: expect.stringMatching(/reachable, version \d+/),
    }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({ subject: 'Redis', level: 'ok', detail: expect.stringMatching(/reachable, version \d+/) }),
  );
});

test('a REDIS_URL that is not the one of the living programs is a problem', async () => {
  await moveRedis(db, { from: null, to: 'theirs' });
  const worker = { id: 'w-other', role: 'worker', host: 'h', pid: 7, appVersion: '1', pools: ['default'] } as const;
  const redisSeen = () => ({ id: 'theirs', ageMs: 0 });
  await writeHeartbeat(db, { ...worker, redisSeen }, { activeRuns: [], clockOffsetMs: 0 });
  const { findings } = await examine(env);
  expect(findings).toContainEqual(
    expect.objectContaining({
      subject: 'Redis',
      level: 'problem',
      detail: expect.stringContaining('worker 7 on h uses another one'),
    }),
  );
  await db.pool.query(`DELETE FROM process WHERE id = 'w-other'`);
  expect((await examine(env)).findings).not.toContainEqual(
    expect.objectContaining({ subject: 'Redis', level: 'problem' }),
  );
});

test('servers that do not answer are named, both', async () => {
  const { code, findings } = await examine({
    DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect(code).toBe(1);
  expect(problems(findings)).toEqual(['Postgres', 'Redis']);
});

test('servers that are reached in plain text are named, without their passwords', async () => {
  const { findings } = await examine({
    ...env,
    REDIS_LEASE_URL: 'redis://me:hidden@leases.invalid:6379',
  });
  expect(findings).toContainEqual(
    expect.objectContaining({ subject: 'Redis for leases', level: 'warning', fix: 'use rediss:// in REDIS_LEASE_URL' }),
  );
  expect(JSON.stringify(findings)).toContain('leases.invalid:6379 is spoken to in plain text');
  expect(JSON.stringify(findings)).not.toContain('hidden');
});

test('with a fleet that is well nothing is wrong with it', async () => {
  const one = { host: 'h', pid: 1, appVersion: '1' };
  await writeHeartbeat(
    db,
    { ...one, id: 's', role: 'scheduler', pools: [] },
    { activeRuns: [], clockOffsetMs: 0, plannedAgeMs: 500 },
  );
  await writeHeartbeat(
    db,
    { ...one, id: 'w', role: 'worker', pools: ['default'] },
    { activeRuns: [], clockOffsetMs: 0 },
  );
  const { findings } = await examine(env);
  expect(problems(findings).filter((subject) => ['Schedulers', 'Workers'].includes(subject))).toEqual([]);
  const { stdout } = await runCli(['doctor'], { env });
  expect(stdout).toMatch(/^ok +Schedulers +1 alive, last planner pass .* ago$/m);
});

test("a worker that is off Postgres' clock is named", async () => {
  await writeHeartbeat(
    db,
    { host: 'h', pid: 1, appVersion: '1', id: 'late', role: 'worker', pools: ['default'] },
    { activeRuns: [], clockOffsetMs: 900 },
  );
  expect((await examine(env)).findings).toContainEqual(
    expect.objectContaining({ subject: 'Clocks', detail: expect.stringContaining('late is 900 ms off') }),
  );
});

test('what matters in production is told with what it is, what to do, and the page; without the option nothing of it', async () => {
  const examined = await runCli(['doctor', '--production'], { env });
  expect(examined.stdout).toMatch(/WARN +Backups +archive_mode is off; .*docs\/how-to\/back-up-and-restore\.md$/m);
  expect(examined.stdout).toMatch(/WARN +Schedulers +1 alive on 1 host: .*docs\/how-to\/run-a-fleet\.md#start-it$/m);
  expect(examined.stdout).toMatch(
    /ok +Limits +statements end after 30 s; \/.*docs\/how-to\/run-a-fleet\.md#set-up-postgres$/m,
  );
  expect((await runCli(['doctor'], { env })).stdout).not.toContain('Backups');
});
