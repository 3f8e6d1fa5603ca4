import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { built } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'escapement-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'settings');
writeFileSync(file, 'REDIS_URL=redis://by-file\nDATABASE_URL=postgres://by-file\n# a comment\nSHOP_KEY="two words"\n');

const ENV = { PLAIN: 'yes', DATABASE_URL: 'postgres://by-env', ESCAPEMENT_POOLS: 'eu', ESCAPEMENT_SECRETS: 'SHOP_*' };

/** What the process said, by a shell that opens descriptors for it. */
async function take(env: Record<string, string>, redirections = ''): Promise<{ code: number | null; said: string }> {
  const program = built(new URL('./settings-process.ts', import.meta.url));
  const line = `exec '${process.execPath}' '${program}' ${redirections}`;
  const child = spawn('/bin/bash', ['--norc', '-c', line], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said: (await out) + (await err) };
}

test('a process has its settings, and nobody else finds them', async () => {
  const { said } = await take({ ...ENV, ESCAPEMENT_SETTINGS_FILE: file });
  expect(JSON.parse(said)).toMatchObject({
    env: { DATABASE_URL: 'postgres://by-env', REDIS_URL: 'redis://by-file', SHOP_KEY: 'two words', PLAIN: 'yes' },
    shown: '',
    left: { PLAIN: 'yes' },
  });
  expect(JSON.parse(said).left).toEqual({ PLAIN: 'yes' });
});

test('settings come by a descriptor; what else was left open is not passed on', async () => {
  const { said } = await take({ ...ENV, ESCAPEMENT_SETTINGS_FILE: '/dev/fd/3' }, `3<'${file}' 40<'${file}'`);
  expect(JSON.parse(said)).toMatchObject({ env: { REDIS_URL: 'redis://by-file' }, shown: '', inherited: false });
});

test('a file that is not there ends the process with a sentence', async () => {
  const { code, said } = await take({ ...ENV, ESCAPEMENT_SETTINGS_FILE: '/no/such/file' });
  expect(code).toBe(2);
  expect(said).toMatch(/^error: ESCAPEMENT_SETTINGS_FILE is \/no\/such\/file, which cannot be read: ENOENT/);
});

test.each([
  { when: 'early', before: true },
  { when: 'late', before: false },
])('another process of the same user opens no debugger: $when', async ({ when, before }) => {
  const program = built(new URL('./debugged-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--inspect-port=0', program, when], { stdio: ['ignore', 'pipe', 'ignore'] });
  expect(JSON.parse(await text(child.stdout))).toEqual({ before, after: false });
});
