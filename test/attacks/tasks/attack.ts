import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

/** What each attack finds, as text; what it cannot read is left out. */
const ATTACKS = {
  env: () => JSON.stringify(process.env),
  'environment of the parent': () => read(`/proc/${process.ppid}/environ`),
  'environments of all processes': () => ofAll((pid) => read(`/proc/${pid}/environ`)),
  'arguments of all processes': () => ofAll((pid) => read(`/proc/${pid}/cmdline`)),
  'descriptors of the parent': () => regularFilesOf(process.ppid),
  'descriptors of all processes': () => ofAll(regularFilesOf),
  'descriptors of its own': () => ownDescriptors(),
  'memory of the parent': () => memoryOf(process.ppid),
} as const;

type Attack = keyof typeof ATTACKS;

/** Runs an attack, and says in which canaries (base64, so that the payload itself is none) it succeeded. */
export default defineTask({
  name: 'attack',
  payload: z.object({ attack: z.string(), canaries: z.array(z.string()) }),
  limit: 20,
  overlap: 'allow',
  timeoutMs: 30_000,
  async run({ attack, canaries }) {
    const found = ATTACKS[attack as Attack]();
    const plain = canaries.map((canary) => Buffer.from(canary, 'base64').toString());
    return {
      uid: process.getuid?.() ?? -1,
      leaked: plain.flatMap((canary, at) => (found.includes(canary) ? [at] : [])),
    };
  },
});

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function ofAll(look: (pid: number) => string): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => look(Number(pid))).join('\n');
}

/**
 * The beginning of each. A pipe or a device is left alone: reading it could wait for ever, or take what is somebody's. So is the
 * Postgres of the tests, which belongs to nobody too.
 */
function regularFilesOf(pid: number): string {
  try {
    if (read(`/proc/${pid}/comm`).startsWith('postgres')) return '';
    const folder = `/proc/${pid}/fd`;
    const files = readdirSync(folder).filter((fd) => statSync(`${folder}/${fd}`).isFile());
    return files.map((fd) => read(`${folder}/${fd}`).slice(0, 65_536)).join('\n');
  } catch {
    return '';
  }
}

/** What is open here beside its standard streams and the channel to the worker, as far as it can be read at once. */
function ownDescriptors(): string {
  let found = '';
  for (let fd = 3; fd < 256; fd++) {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      found += `${fd} ${target}\n`;
      if (fstatSync(fd).isFile()) found += readFileSync(fd, 'latin1');
    } catch {
      // Closed, or nothing that can be read.
    }
  }
  return found;
}

function memoryOf(pid: number): string {
  let found = '';
  try {
    const memory = openSync(`/proc/${pid}/mem`, 'r');
    for (const line of readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (from !== undefined && to !== undefined)
        found += urlsIn(memory, Number.parseInt(from, 16), Number.parseInt(to, 16));
    }
    closeSync(memory);
  } catch {
    // Not to be read.
  }
  return found;
}

const PIECE = 1024 * 1024;

/** What stands around the word that all canaries have in common. */
function urlsIn(memory: number, from: number, to: number): string {
  const word = Buffer.from(['can', 'ary'].join(''), 'latin1');
  let found = '';
  for (let at = from; at < to; at += PIECE) {
    const piece = Buffer.alloc(Math.min(PIECE, to - at));
    try {
      readSync(memory, piece, 0, piece.length, at);
    } catch {
      continue;
    }
    for (let hit = piece.indexOf(word); hit !== -1; hit = piece.indexOf(word, hit + 1))
      found += `${piece.toString('latin1', hit, hit + 64)}\n`;
  }
  return found;
}
