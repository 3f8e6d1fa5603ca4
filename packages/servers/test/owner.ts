import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile, type NodeProcess, spawnNode } from '@escapement/testkit';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PREFERRED_PORTS } from '../src/ensure-servers.ts';
import type { Servers, ServersOptions } from '../src/index.ts';

/** A folder that goes after the test file. Other users may not enter it, as /root is on most systems. */
export async function dataFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'escapement-servers-'));
  afterFile(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

export interface Owner extends Omit<Servers, 'stop'> {
  process: NodeProcess;
}

/** Starts a process of its own that calls `ensureServers`. */
export async function startOwner(options: Partial<ServersOptions>, env: Record<string, string> = {}): Promise<Owner> {
  const entry = new URL('./run-servers.ts', import.meta.url);
  const child = spawnNode(entry, { args: [JSON.stringify(options)], env });
  const ready = await child.waitForLine(/^ready /, 60_000);
  return { ...JSON.parse(ready.slice('ready '.length)), process: child };
}

/** On ports that no other test prefers: what is free while a server is away would be taken by the next one. */
export async function startElsewhere(dataDir: string): Promise<Owner> {
  const holders = Object.values(PREFERRED_PORTS).map((port) => createServer().listen(port, '127.0.0.1'));
  // Where somebody has one already, it is held.
  await Promise.all(holders.map((holder) => once(holder, 'listening').catch(() => undefined)));
  try {
    return await startOwner({ dataDir });
  } finally {
    for (const holder of holders) holder.close();
  }
}

export interface Note {
  ownerPid: number;
  watchdogPid: number;
  serverPid: number;
  port: number;
}

/** What a data folder says about who runs its server. */
export async function readNote(dataDir: string, server: 'postgres' | 'redis'): Promise<Note> {
  return JSON.parse(await readFile(join(dataDir, `${server}.json`), 'utf8'));
}

export async function sql(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export async function redis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}
