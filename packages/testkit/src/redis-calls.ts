import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterFile } from './clean-up.ts';

/** A command that a client sent to Redis. */
export interface RedisCall {
  /** In small letters; of a script of BullMQ its name there. */
  name: string;
  args: readonly string[];
  /** What the script did, if it is one: a command with its arguments each. */
  within: readonly (readonly string[])[];
}

/** A line of MONITOR: the database, the client or `lua`, and what it sent. */
const LINE = /^\+\d+\.\d+ \[(\d+) (\S+)\] (.*)$/;
const WORD = /"((?:[^"\\]|\\.)*)"/g;

/** Lists all that clients send to one database of a Redis from now on, in order, as the server itself sees it. */
export async function watchRedis(url: string): Promise<readonly RedisCall[]> {
  const { hostname, port, pathname } = new URL(url);
  const names = scriptNames();
  const calls: (RedisCall & { within: string[][] })[] = [];
  const socket = connect(Number(port), hostname);
  afterFile(async () => {
    socket.destroy();
  });
  const lines = createInterface(socket);
  socket.write('MONITOR\r\n');
  await once(lines, 'line');
  lines.on('line', (line) => {
    const [, database, source, rest = ''] = LINE.exec(line) ?? [];
    if (database !== (pathname.slice(1) || '0')) return;
    const [word = '', ...args] = [...rest.matchAll(WORD)].map(([, quoted = '']) => quoted);
    const name = word.toLowerCase();
    if (source === 'lua') calls.at(-1)?.within.push([name, ...args]);
    else calls.push({ name: name === 'evalsha' ? (names.get(args[0] ?? '') ?? name) : name, args, within: [] });
  });
  return calls;
}

/** BullMQ's scripts by their SHA-1, under which clients call them. */
function scriptNames(): ReadonlyMap<string, string> {
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve('bullmq')), 'scripts');
  const files = readdirSync(folder).filter((file) => /-\d+\.js$/.test(file));
  const scripts = files.flatMap((file) =>
    Object.values<{ content: string; name: string }>(require(join(folder, file))),
  );
  return new Map(scripts.map(({ content, name }) => [createHash('sha1').update(content).digest('hex'), name]));
}
