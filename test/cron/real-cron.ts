import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterFile } from '@escapement/testkit';

const ZONE = 'Europe/Berlin';

/**
 * Debian's cron in namespaces of its own, so that it has no crontabs but those of a test, with a clock of its own if one is given. What
 * faketime shares it names by a number of a process, and leaves behind when it is killed: another one of that number could not start.
 */
const START = `set -e
mount --bind "$FOLDER/crontabs" /var/spool/cron/crontabs
mount --bind "$FOLDER/cron.d" /etc/cron.d
mount --bind "$FOLDER/etc-crontab" /etc/crontab
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev/shm
export TZ=${ZONE} FAKETIME_FMT=%s
\${CLOCK:+faketime -f "$CLOCK"} sh -c 'env -u LD_PRELOAD date +%s%N > "$FOLDER/began"; exec nice -n -10 cron -f'
`;

/** Mounts of its own, and processes of its own: all of them end with cron, the reports that its lines leave behind too. */
const APART = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** What is missing here to run a real cron; undefined: nothing is. */
export function missingForCron(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  for (const [program, given] of [
    ['cron', ['-V']],
    ['faketime', ['--version']],
    ['unshare', [...APART, 'true']],
  ] as const)
    if (!works(program, given)) return `${program} does not work here`;
  return undefined;
}

function works(program: string, given: readonly string[]): boolean {
  try {
    execFileSync(program, given, { stdio: 'ignore' });
    return true;
  } catch (error) {
    // cron knows no option that says only that it is there.
    return program === 'cron' && error instanceof Error && 'status' in error && error.status !== null;
  }
}

export interface RealCron {
  /** Of the test alone; cron's files are in it, too. */
  folder: string;
  /** Lets cron run until so many of its minutes have passed, then ends it. */
  runs: (minutes: number) => Promise<void>;
  /** What cron's clock said at an instant, in milliseconds. */
  clockAt: (realMs: number) => number;
}

/** A clock of cron's own. `from`: what it says at first; it goes `rate` times as fast. */
interface OwnClock {
  from: Date;
  rate: number;
}

/** Starts cron with a crontab of root. Without a clock of its own it goes by that of this machine. */
export async function startCron(crontab: (folder: string) => string, clock?: OwnClock): Promise<RealCron> {
  const folder = await mkdtemp(path.join(tmpdir(), 'escapement-cron-'));
  await Promise.all(['crontabs', 'cron.d'].map((name) => mkdir(path.join(folder, name))));
  await writeFile(path.join(folder, 'etc-crontab'), '');
  await writeFile(path.join(folder, 'crontabs', 'root'), crontab(folder), { mode: 0o600 });
  const own = clock === undefined ? '' : `@${clock.from.getTime() / 1000} x${clock.rate}`;
  const env = { ...process.env, FOLDER: folder, CLOCK: own };
  const cron = spawn('unshare', [...APART, 'sh', '-c', START], { env, stdio: 'ignore', detached: true });
  afterFile(async () => {
    end(cron);
    // The kernel takes a moment to end them all.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const ended = new Promise((resolve) => cron.once('exit', resolve));
  const beganMs = Number(await began(folder, ended)) / 1e6;
  const { from, rate } = clock ?? { from: new Date(beganMs), rate: 1 };
  return {
    folder,
    clockAt: (realMs) => from.getTime() + (realMs - beganMs) * rate,
    async runs(minutes) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, (minutes * 60_000) / rate))]);
      end(cron);
      await ended;
    },
  };
}

async function began(folder: string, ended: Promise<unknown>): Promise<string> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (;;) {
    const text = await readFile(path.join(folder, 'began'), 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text.trim();
    if (over) throw new Error('cron could not be started');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function end({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}
