import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bin, root } from './process.mjs';

async function output(command: string, args: string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })).stdout;
}

/** Test files of the repository, also those that are not committed yet. */
async function testFiles(): Promise<string[]> {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.*', '*.chaos.*', '*.upgrade.*'];
  const files = (await output('git', listed)).split('\n');
  return files.filter((file) => file !== '' && existsSync(path.join(root, file)));
}

/** Which files Vitest would run, each with its project. */
async function filesOfProjects(): Promise<{ file: string; projectName: string }[]> {
  return JSON.parse(await output(bin('vitest'), ['list', '--filesOnly', '--json']));
}

test('each test file belongs to exactly one project', async () => {
  const [files, listed] = await Promise.all([testFiles(), filesOfProjects()]);
  const projects = new Map<string, string[]>(files.map((file) => [file, []]));
  for (const { file, projectName } of listed) projects.get(path.relative(root, file))?.push(projectName);
  expect(files.length).toBeGreaterThan(100);
  expect([...projects].filter(([, names]) => names.length !== 1)).toEqual([]);
});

test.each(['chaos', 'fuzz', 'verify'])('each file that `npm run %s` names is there', (name) => {
  const script = readFileSync(path.join(root, `scripts/${name}.mjs`), 'utf8');
  const named = [...script.matchAll(/'([^']+\.test\.ts)'/g)].map(([, file = '']) => file);
  expect(named).not.toEqual([]);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test('`npm run fuzz` runs each test that makes inputs by chance', async () => {
  const script = readFileSync(path.join(root, 'scripts/fuzz.mjs'), 'utf8');
  const named = [...script.matchAll(/'([^']+fuzz(?:\.long)?\.test\.ts)'/g)].map(([, file]) => file);
  const fuzzes = (file: string) =>
    readFileSync(path.join(root, file), 'utf8').includes("from '@escapement/testkit/fuzz'");
  expect(named.sort()).toEqual(
    (await testFiles()).filter((file) => /fuzz(?:\.long)?\.test\.ts$/.test(file) && fuzzes(file)).sort(),
  );
});
