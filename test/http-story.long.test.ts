import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { spawnNode } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { startFleet } from './http-story/fleet.ts';

// By HTTP alone: what a person does with curl, and what a program does with a client that a generator makes of the OpenAPI document.

const MINUTES_MS = 5 * 60_000;
const hasJq = ['/usr/bin/jq', '/usr/local/bin/jq', '/opt/homebrew/bin/jq'].some(existsSync);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const CLIENT = here('./openapi-client');
const told = await startFleet();

/** What a program has written that ended well. */
async function written(file: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  return (await promisify(execFile)(file, args, { timeout: MINUTES_MS, ...options })).stdout;
}

const inClient = (program: string, ...args: string[]) =>
  written(path.join(CLIENT, 'node_modules/.bin', program), args, { cwd: CLIENT });

// Left out where the program is not installed (Debian: `apt-get install jq`).
test.skipIf(!hasJq)('a person does all of it with curl', async () => {
  const env = { ...process.env, ...told, NAME: 'by-curl' };
  expect(await written(here('./http-story/story.sh'), [], { env })).toMatch(/^story: the end$/m);
});

test('a program does all of it with a client that was generated', async () => {
  const document = here('../docs/reference/openapi.json');
  await inClient('openapi-typescript', document, '-o', 'generated/openapi.d.ts', '--default-non-nullable=false');
  await inClient('tsc', '-p', 'tsconfig.json');
  const env = { ...told, NAME: 'generated' };
  const story = spawnNode(new URL('./openapi-client/story.ts', import.meta.url), { env, fromSource: true });
  const { code } = await story.exited;
  expect([story.lines.at(-1), code]).toEqual(['story: the end', 0]);
});
