import { natives } from '../natives.ts';

/** What the system knows a process by, and what its children inherit. */
interface Surroundings {
  variables: Readonly<Record<string, string | undefined>>;
  count: number;
  rest: readonly unknown[];
}

/** The words for `rest`, in its order. */
const WORDS = [
  'process.env',
  'the working directory',
  'the umask',
  'the user',
  'the group',
  'process.title',
  'process.exitCode',
];

/** Compares the surroundings of this process with those that it had. */
export class SurroundingsWatch {
  #before = look();

  /** What differs, in words. */
  changed(): string[] {
    const before = this.#before;
    const rest = restNow();
    const words = WORDS.filter((_, index) => !natives.is(rest[index], before.rest[index]));
    return hasOther(before) ? [`${namesThatDiffer(before).join(', ')} in its environment`, ...words] : words;
  }

  adopt(): void {
    this.#before = look();
  }
}

function look(): Surroundings {
  const variables = { ...natives.environment() };
  return { variables, count: Object.keys(variables).length, rest: restNow() };
}

function restNow(): unknown[] {
  const { title, exitCode } = process;
  const ids = [natives.getuid?.(), natives.getgid?.()];
  return [natives.environment(), workingDirectory(), natives.umask(), ...ids, title, exitCode];
}

/** It may have been removed. */
function workingDirectory(): string {
  try {
    return natives.cwd();
  } catch {
    return '';
  }
}

/** Builds nothing: most runs change no variable. */
function hasOther({ variables, count }: Surroundings): boolean {
  const now = natives.environment();
  let seen = 0;
  for (const name in now) {
    if (now[name] !== variables[name]) return true;
    seen += 1;
  }
  return seen !== count;
}

function namesThatDiffer({ variables }: Surroundings): string[] {
  const now = natives.environment();
  const names = new Set([...Object.keys(variables), ...Object.keys(now)]);
  return [...names].filter((name) => variables[name] !== now[name]).slice(0, 10);
}
