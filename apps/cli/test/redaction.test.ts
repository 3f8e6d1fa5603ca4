import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const CANARY = 'canary-5f1c';

await saveTask(
  db,
  {
    name: 'report',
    handler: {
      type: 'http',
      url: `https://app:${CANARY}@x.example/?token=${CANARY}`,
      headers: { Authorization: `Bearer ${CANARY}` },
      body: { password: CANARY },
    },
    notify: { webhook: [`https://hooks.example/services/${CANARY}`] },
  },
  { source: 'test', by: by('test') },
);

test.each([
  ['tasks', 'show', 'report'],
  ['tasks', 'show', 'report', '-o', 'json'],
  ['tasks', 'list', '-o', 'json'],
  ['tasks', 'history', 'report', '-o', 'json'],
  ['tasks', 'edit', 'report', '--set', 'timeoutMs=5000', '--plan', '-o', 'json'],
])('%s %s %s %s: what a definition holds of secrets is masked', async (...args) => {
  const { code, stdout, stderr } = await runCli(args, { env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('report');
  expect(stdout + stderr).not.toContain(CANARY);
});

test('an import shows no password of a crontab, in no format, nor in the names of tasks', async () => {
  const crontab = (word: string) =>
    [
      `DB_PASSWORD=${word}`,
      `* * * * * curl -u admin:${word} https://x.example/?token=${word}`,
      `1 * * * * PGPASSWORD=${word} pg_dump postgres://app:${word}@db/shop`,
      `2 * * * * deploy --token ${word}%password=${word}`,
      `0 0 31 2 * mysql -p${word}`,
      `nonsense PASSWORD=${word}`,
    ].join('\n');
  const imports = async (word: string, ...args: string[]) => {
    const { stdout, stderr } = await runCli(['import', 'crontab', '-', ...args], { env, input: crontab(word) });
    expect(stdout + stderr).toContain('deploy');
    expect(stdout + stderr).not.toContain(CANARY);
  };
  await imports(CANARY);
  await imports(CANARY, '-o', 'json');
  await imports(`${CANARY}-old`, '--write');
  await imports(CANARY, '-o', 'json');
  await imports(CANARY, '--write');
  const { rows } = await db.pool.query("SELECT count(*)::int AS tasks FROM task WHERE name LIKE '%canary%'");
  expect(rows).toEqual([{ tasks: 0 }]);
});

test('an edit keeps what is not shown', async () => {
  expect((await runCli(['tasks', 'edit', 'report', '--set', 'timeoutMs=5000'], { env })).code).toBe(0);
  const { rows } = await db.pool.query("SELECT definition::text FROM task WHERE name = 'report'");
  expect(rows[0].definition.split(CANARY)).toHaveLength(6);
});
