import { listTasks } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';
import crontabs from './corpora/crontabs.json' with { type: 'json' };

const { db, env } = await cliDatabase();

const SOME = ['c010', 'c026', 'c065', 'c077', 'c113', 'c121', 'c137', 'c148'];

test('real crontabs are imported as they stand, and again without a change', async () => {
  for (const { id, system, lines } of crontabs.filter((file) => SOME.includes(file.id))) {
    const input = `${lines.map(({ text }) => text).join('\n')}\n`;
    const args = ['import', 'crontab', '-', '--source', id, '--write', '-o', 'json', ...(system ? ['--system'] : [])];
    const first = await runCli(args, { env, input });
    expect(first).toMatchObject({ code: 0 });
    const tasks = await listTasks(db, { source: `crontab:${id}` });
    expect(JSON.parse(first.stdout).counts).toMatchObject({ create: tasks.length, refused: 0 });
    const again = await runCli(args, { env, input });
    expect(JSON.parse(again.stdout).counts).toMatchObject({ create: 0, update: 0, removed: 0 });
  }
});
