import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EscapementError } from '@escapement/core';
import { Redis } from 'ioredis';
import { type EmbeddedOptions, type EmbeddedServer, embeddedServer, sharedServer } from './embedded.ts';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guard.ts';
import { clearLeftover, recordOwner } from './leftover.ts';

/** Patience with a server that loads its file. */
const READY_TIMEOUT_MS = 60_000;
/** Patience with one question. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Starts Redis on a folder. Throws an EscapementError with the end of the server's log when it does not start. */
export async function startRedis(program: string, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dir } = options;
  const note = `${dir}.json`;
  const leftover = await clearLeftover(note, 'SIGTERM', (line, { port }) => line.includes(`:${port}`));
  if (leftover) return sharedServer(urlOf(leftover.port), leftover);
  await mkdir(dir, { recursive: true });
  const { server, port } = await startOnFreePort(program, options);
  await recordOwner(note, server, port);
  return embeddedServer(urlOf(port), port, server, note);
}

function urlOf(port: number): string {
  return `redis://127.0.0.1:${port}/0`;
}

async function startOnFreePort(program: string, options: EmbeddedOptions) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? options.port : 0);
    const server = await launch(program, options, port);
    if (await becomesReady(server, port)) return { server, port };
    const output = (await server.output()).trim().split('\n').slice(-8).join('\n');
    await server.stop();
    if (attempt < 3 && output.includes('Address already in use')) continue;
    throw new EscapementError('redis_start', `Redis did not start on ${options.dir}:\n${output}`, {
      fix: 'see the end of its log above; deleting the folder starts anew (Postgres holds the truth)',
    });
  }
}

function launch(program: string, options: EmbeddedOptions, port: number): Promise<GuardedProcess> {
  const { dir, ephemeral = false, settings = [], removeDir } = options;
  const words = [
    ['--bind', '127.0.0.1'],
    ['--port', String(port)],
    ['--dir', dir],
    // An evicting Redis loses jobs in silence.
    ['--maxmemory-policy', 'noeviction'],
    ['--databases', ephemeral ? '1024' : '16'],
    ['--save', ''],
    ['--appendonly', ephemeral ? 'no' : 'yes'],
    ['--appendfsync', 'everysec'],
    settings.flatMap((setting) => setting.split(' ')),
  ];
  return startGuarded({
    command: program,
    args: words.flat(),
    stopSignal: removeDir === undefined ? 'SIGTERM' : 'SIGKILL',
    logFile: `${dir}.log`,
    removeDir,
  });
}

/**
 * Waits until the server answers. False when it has ended instead: somebody else may have taken the port between our look and
 * our start, be it a Redis or a program that accepts connections and never says a word.
 */
async function becomesReady(server: GuardedProcess, port: number): Promise<boolean> {
  const end = performance.now() + READY_TIMEOUT_MS;
  const ended = server.ended.then(() => false);
  while (server.running() && performance.now() < end) {
    if (await Promise.race([answersAs(server.pid, port), ended])) return true;
    await delay(10);
  }
  return false;
}

async function answersAs(pid: number, port: number): Promise<boolean> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: ANSWER_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.info('server')).includes(`process_id:${pid}`);
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
