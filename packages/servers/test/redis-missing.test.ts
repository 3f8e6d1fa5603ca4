import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnNode } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { dataFolder } from './owner.ts';

const entry = new URL('./run-servers.ts', import.meta.url);

/** A PATH with nothing but the given tools. */
async function pathWith(...tools: string[]): Promise<string> {
  const bin = join(await dataFolder(), 'bin');
  await mkdir(bin);
  for (const tool of tools) {
    await writeFile(join(bin, tool), '#!/bin/sh\nexit 0\n');
    await chmod(join(bin, tool), 0o755);
  }
  return bin;
}

async function withoutRedis(...tools: string[]) {
  const args = [JSON.stringify({ dataDir: join(await dataFolder(), 'data') })];
  const child = spawnNode(entry, { args, env: { PATH: await pathWith(...tools) } });
  const { code } = await child.exited;
  return { code, output: child.lines.join('\n') };
}

test('without a Redis, and without the right to install one, the command of the system is told', async () => {
  const { code, output } = await withoutRedis('dnf', 'zypper');
  expect(code).toBe(1);
  expect(output).toContain('there is no redis-server or valkey-server on the PATH');
  expect(output).toContain('run: sudo dnf install -y valkey; or set REDIS_URL');
});

test('on a system that nobody knows, a page is told', async () => {
  expect((await withoutRedis()).output).toContain('install Redis 7 or Valkey 8 (https://redis.io/');
});
