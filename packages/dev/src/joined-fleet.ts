import { hostname } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { EscapementError, LEASE_MS } from '@escapement/core';
import { type LivingProgram, livingPrograms, openDatabase } from '@escapement/store';
import { isRunning } from './process-tree.ts';

/** Named at most in a question. */
const NAMED = 3;
const LOOK_MS = 250;

/**
 * Refuses one URL without the other: the missing server would be found or started here, and a fleet whose ledger has queues in another
 * Redis would be worked on beside it. Throws `half_a_pair`.
 */
export function requirePair({ DATABASE_URL, REDIS_URL }: NodeJS.ProcessEnv): void {
  if (!DATABASE_URL === !REDIS_URL) return;
  const [given, lacking] = DATABASE_URL ? ['DATABASE_URL', 'REDIS_URL'] : ['REDIS_URL', 'DATABASE_URL'];
  throw new EscapementError(
    'half_a_pair',
    `${given} is set and ${lacking} is not: a database and the Redis of its queues belong together`,
    { fix: `set ${lacking} too, or unset ${given} to work on servers of this folder's own` },
  );
}

export interface Joining {
  /** That was said on the command line. */
  join: boolean;
  /** What one types to say it. */
  joinCommand: string;
  log: (line: string) => void;
  /** How long programs of this host get to end, such as those of a `dev` that was killed. Milliseconds. */
  patienceMs: number;
  /** Asks a person; undefined: nobody is at a terminal. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** Lets a person decide whether to join a fleet that works on this database already. Throws `fleet_at_work` where it is not to be joined. */
export async function joinOrLeave(
  databaseUrl: string,
  { join, joinCommand, log, patienceMs, confirm }: Joining,
): Promise<void> {
  const living = await livingOn(databaseUrl, patienceMs);
  if (living.length === 0) return;
  const found = `${count(living.length)} on this database already: ${named(living)}`;
  if (join) return log(`${found}; joining them`);
  if (await confirm?.(`${found}. Shall this join them, migrate the database and run their tasks? [y/N] `)) return;
  throw new EscapementError('fleet_at_work', found, {
    fix: `name another DATABASE_URL and REDIS_URL, or none; ${joinCommand} joins that fleet, migrates its database and runs its tasks`,
  });
}

async function livingOn(databaseUrl: string, patienceMs: number): Promise<LivingProgram[]> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'escapement dev', connections: 1 });
  try {
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      const living = (await livingPrograms(db, { withinMs: LEASE_MS })).filter(isThere);
      if (waitedMs >= patienceMs || !living.some(isHere)) return living;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  } finally {
    await db.close();
  }
}

/** One of this host that has been killed is heard for some seconds more, as those of the last `dev` here. */
function isThere(program: LivingProgram): boolean {
  return !isHere(program) || isRunning(program.pid);
}

function isHere({ host }: LivingProgram): boolean {
  return host === hostname();
}

function count(programs: number): string {
  return programs === 1 ? '1 program works' : `${programs} programs work`;
}

function named(living: readonly LivingProgram[]): string {
  const names = living
    .slice(0, NAMED)
    .map(({ role, host, pid, namespace }) => `${role} ${pid} on ${host} (${namespace})`);
  const more = living.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** Asks at the terminal; undefined: there is none. What is not a yes is a no. */
export function terminalConfirm(): Joining['confirm'] {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return async (question) => {
    // In lines: Ctrl-C stays a signal, and ends all that was started.
    const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(question), closed]);
    terminal.close();
    return /^y(es)?$/i.test(answer.trim());
  };
}
