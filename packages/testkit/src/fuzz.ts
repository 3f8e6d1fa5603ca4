import { EscapementError } from '@escapement/core';
import { ScheduleError } from '@escapement/core/schedule';

/** What no input may take of a processor, however hostile. */
const MAX_CPU_MS = 50;
/** Longest input, in characters. */
const MAX_LENGTH = 4096;
/** So often may others have had the processor's caches, too. */
const TRIES = 10;
/** More would not help whoever mends the first. */
const MAX_FINDINGS = 3;

export interface FuzzTarget {
  /** Inputs that are right, or nearly: what is tried is made of them. */
  corpus: readonly string[];
  /** Words that mean something to the reader under test. */
  words: readonly string[];
  /** Takes the input as a user's. May throw an `EscapementError` or `ScheduleError`; anything else is a crash. */
  run: (input: string) => unknown;
}

export interface FuzzOptions {
  inputs: number;
  seed: number;
}

/** `FUZZ_INPUTS` and `FUZZ_SEED`, as `npm run fuzz` sets them; without them a short run that is the same each time. */
export function fuzzOptions(env: Readonly<Record<string, string | undefined>>): FuzzOptions {
  return { inputs: Number(env.FUZZ_INPUTS ?? 300), seed: Number(env.FUZZ_SEED ?? 1) };
}

export interface FuzzFinding {
  input: string;
  what: string;
}

/** Tries inputs that chance makes of the corpus, the same for the same seed. Gives back those that crash or take too long. */
export async function fuzz({ corpus, words, run }: FuzzTarget, { inputs, seed }: FuzzOptions): Promise<FuzzFinding[]> {
  const random = randomOf(seed);
  const findings: FuzzFinding[] = [];
  for (const input of corpus) findings.push(...(await judge(run, input)));
  for (let count = corpus.length; count < inputs && findings.length < MAX_FINDINGS; count++)
    findings.push(...(await judge(run, makeInput(corpus, words, random))));
  return findings;
}

async function judge(run: FuzzTarget['run'], input: string): Promise<FuzzFinding[]> {
  const startedMs = performance.now();
  const crash = await crashOf(run, input);
  if (crash !== undefined) return [{ input, what: crash }];
  // Others may have had the processor: what was slow is measured again.
  if (performance.now() - startedMs < MAX_CPU_MS) return [];
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TRIES && least >= MAX_CPU_MS; turn++) least = Math.min(least, await cpuMs(run, input));
  return least < MAX_CPU_MS ? [] : [{ input, what: `takes ${Math.round(least)} ms of a processor` }];
}

async function crashOf(run: FuzzTarget['run'], input: string): Promise<string | undefined> {
  try {
    await run(input);
    return undefined;
  } catch (error) {
    if (error instanceof EscapementError || error instanceof ScheduleError) return undefined;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** What it has at most taken: the process counts what its other threads take too, the clock what other processes do. */
async function cpuMs(run: FuzzTarget['run'], input: string): Promise<number> {
  const [before, startedMs] = [process.cpuUsage(), performance.now()];
  await crashOf(run, input);
  const { user, system } = process.cpuUsage(before);
  return Math.min((user + system) / 1000, performance.now() - startedMs);
}

type Random = (below: number) => number;

/** Mulberry32. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What readers stumble over, whatever they read. */
const HOSTILE = [
  ...['', ' ', '\n', '\r\n', '\t', '\0', '\ufeff', '\ud800', '\u202e', '\x1b[2J', '__proto__', 'constructor'],
  ...['0', '-1', '1e999', '999999999999999999999', '0x7f', 'NaN', 'null', '{}', '[]', '""', '"', "'", '\\', '{{', '}}'],
  ...['*', '/', '-', ',', ':', ';', '=', '&a', '*a', '%', '#', '?', '(', ')', '[', ']', '{', '}', '|', '<<', '!', '@'],
];

function makeInput(corpus: readonly string[], words: readonly string[], random: Random): string {
  const any = (list: readonly string[]) => list[random(list.length)] ?? '';
  let text = any(corpus);
  for (let changes = 1 + random(6); changes > 0; changes--) text = change(text, { any, words, corpus, random });
  return text.slice(0, MAX_LENGTH);
}

interface Means {
  any: (list: readonly string[]) => string;
  words: readonly string[];
  corpus: readonly string[];
  random: Random;
}

function change(text: string, { any, words, corpus, random }: Means): string {
  const at = random(text.length + 1);
  const end = Math.min(text.length, at + 1 + random(12));
  const [before, part, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  switch (random(7)) {
    case 0:
      return before + after;
    case 1:
      return before + any(HOSTILE) + part + after;
    case 2:
      return before + any(words) + after;
    case 3:
      return before + part.repeat(1 + random(200)) + after;
    case 4:
      return before + String.fromCodePoint(random(0x250)) + after;
    case 5: {
      const other = any(corpus);
      return before + other.slice(random(other.length + 1));
    }
    default:
      return before + any(words).repeat(1 + random(30)) + part + after;
  }
}
