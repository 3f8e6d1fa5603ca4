import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'escapement-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = z.object({ bin: z.record(z.string(), z.string()), engines: z.object({ node: z.string() }) });
const APPS = ['all', 'api', 'cli', 'create', 'scheduler', 'worker'];
const ENTRIES = APPS.flatMap((app) => {
  const { bin, engines } = manifest.parse(JSON.parse(readFileSync(join(root, 'apps', app, 'package.json'), 'utf8')));
  return Object.values(bin).map((file) => ({ entry: join(root, 'apps', app, file), needed: engines.node }));
});

/** Runs a program as if Node were of another version. */
function runAs(version: string, entry: string) {
  const fake = join(folder, `${version}.cjs`);
  writeFileSync(
    fake,
    `Object.defineProperty(process, 'version', { value: 'v${version}' });
     Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  return spawnSync(process.execPath, ['--require', fake, entry], { encoding: 'utf8', cwd: folder });
}

test.each(ENTRIES)('$entry says which Node it needs, to one that is too old', ({ entry, needed }) => {
  for (const version of ['18.20.8', '20.18.1']) {
    const { status, stdout, stderr } = runAs(version, entry);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      `error: Escapement needs Node ${needed.replace('>=', '')} or newer, and this is v${version} (`,
    );
    expect(stderr.split('\n')).toHaveLength(3);
    expect(status).toBe(2);
  }
});

test.each(ENTRIES)(
  '$entry can be read by any Node: as a script, without a word younger than `import()`',
  ({ entry }) => {
    const text = readFileSync(entry, 'utf8');
    expect(text).not.toMatch(/^import |await|\?\?|\?\.|import\.meta/m);
  },
);

test('the set-up of a clone says it too', () => {
  const { status, stderr } = runAs('18.20.8', join(root, 'scripts/setup.mjs'));
  expect(stderr).toMatch(/^set-up: Node 20\.19 or newer is needed; this is v18\.20\.8 \(.*\)\.\n$/);
  expect(status).toBe(1);
});
