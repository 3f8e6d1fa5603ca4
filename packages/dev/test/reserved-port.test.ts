import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@escapement/servers';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { reservePort } from '../src/reserved-port.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'escapement-ports-'));
afterFile(() => rmSync(folder, { recursive: true }));

/** A pid that no process has. */
const GONE = 2 ** 22 + 1;

test('of fleets that start together none gets the port of another, though nobody listens there yet', async () => {
  const preferred = await freePort();
  const reserved = await Promise.all([1, 2, 3, 4].map(() => reservePort(preferred, folder)));
  const ports = reserved.map(({ port }) => port);
  expect(new Set(ports).size).toBe(4);
  expect(ports).toContain(preferred);
  for (const { release } of reserved) release();
  const again = await reservePort(preferred, folder);
  expect(again.port).toBe(preferred);
  again.release();
});

test('a port that another program listens on is not taken', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : 0;
  const { port, release } = await reservePort(taken, folder);
  expect(port).not.toBe(taken);
  release();
  await new Promise((resolve) => server.close(resolve));
});

test('a port of a fleet that was killed is free', async () => {
  const preferred = await freePort();
  writeFileSync(path.join(folder, `escapement-dev-port-${preferred}.json`), JSON.stringify({ pid: GONE }));
  const { port, release } = await reservePort(preferred, folder);
  expect(port).toBe(preferred);
  release();
});
