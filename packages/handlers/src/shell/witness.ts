import type { Ending } from './ending.ts';
import { signalName } from './signal-name.ts';

/**
 * Node says "exit code 0" of a process that a real-time signal has killed. So a shell starts the program, waits for it, and
 * says on its own standard error how it ended. A shell first names the signal that killed a program in words, then in the
 * code. These words tell `kill -34 $$` from `exit 162`. The shell itself outlives what is sent to its whole group.
 */
const SCRIPT = `
trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM 2>/dev/null
number=34; while [ $number -le 64 ]; do trap : $number; number=$((number + 1)); done 2>/dev/null
(exec "$@") 2>&1
echo "=$?" >&2`;

const WITNESS = '/bin/sh';

/** The command that runs another one, and reports its end on descriptor 2. Both outputs of the other go to descriptor 1. */
export function witnessed(command: readonly string[]): [program: string, args: string[]] {
  return [WITNESS, ['-c', SCRIPT, 'escapement', ...command]];
}

/** Codes from here on say that a signal killed the command. */
const SIGNALLED = 128;
/** Shells have no words for these two, SIGINT and SIGPIPE. */
const WORDLESS = [2, 13];

/** How the command ended, by the report of its shell; undefined: the shell was killed before it could say. */
export function endingIn(report: string): Omit<Ending, 'stopped'> | undefined {
  const [, words = '', digits] = /^([\s\S]*?)=(\d+)\n$/.exec(report) ?? [];
  if (digits === undefined) return undefined;
  const code = Number(digits);
  const signal = code > SIGNALLED ? signalName(code - SIGNALLED) : undefined;
  if (signal === undefined) return { code, signal: null };
  if (words.trim() !== '') return { code: null, signal };
  return { code, signal: null, ...(WORDLESS.includes(code - SIGNALLED) ? { perhaps: signal } : {}) };
}

/** The end of a shell that has reported none. Code 0 is Node's word for a signal that it has no name for. */
export function endingOfWitness({ code, signal }: Omit<Ending, 'stopped'>): Omit<Ending, 'stopped'> {
  return code === 0 ? { code: null, signal: 'a signal without a name' } : { code, signal };
}
