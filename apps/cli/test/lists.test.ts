import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { env } = await cliDatabase();
const run = (args: string[], input?: string) => runCli(args, { env, ...(input === undefined ? {} : { input }) });

test('lists are filled from lines of JSON, shown in their order, and dropped', async () => {
  expect((await run(['lists', 'show'])).stderr).toContain('there are no lists');
  const added = await run(['lists', 'add', 'files', '-'], '"a.csv"\n\n{"name":"b.csv"}\n');
  expect(added.stdout).toBe('2 items added to files\n');
  await run(['lists', 'add', 'files', '-'], '3\n');
  expect((await run(['lists', 'show'])).stdout).toMatch(/^files +3 +0 +3$/m);
  const shown = (await run(['lists', 'show', 'files', '-o', 'json'])).stdout;
  expect(JSON.parse(shown)).toEqual(
    ['a.csv', { name: 'b.csv' }, 3].map((item, place) => ({ place, item, runId: null, takenAt: null })),
  );
  expect((await run(['lists', 'drop', 'files'])).stdout).toBe('3 items of files dropped\n');
  expect((await run(['lists', 'show', 'files'])).code).toBe(2);
});

test('a line that is no JSON adds nothing, and is named', async () => {
  const { code, stderr } = await run(['lists', 'add', 'broken', '-'], '1\n{\n');
  expect(code).toBe(2);
  expect(stderr).toContain('-, line 2 is not JSON');
  expect((await run(['lists', 'drop', 'broken'])).stderr).toContain('there is no list "broken"');
});
