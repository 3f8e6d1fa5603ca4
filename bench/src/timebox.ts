import { ManualClock, SECOND, seededRandom } from '@escapement/core';
import { type TimeboxOptions, type TimeboxResult, timebox } from '@escapement/sdk';
import type { Figures } from './targets.ts';

const BOXES = 200;
const BOX_MS = 3 * SECOND;
const TURN_MS = { from: 100, to: 300 };
const SEED = 1;

type Way = Pick<TimeboxOptions, 'algorithm' | 'estimate'>;

const WAYS: readonly Way[] = [
  { algorithm: 'loose' },
  { algorithm: 'tight', estimate: 'mean' },
  { algorithm: 'tight', estimate: 'p95' },
  { algorithm: 'tight', estimate: 'max' },
];

/** `npm run bench -- timebox [seed]`: how often each algorithm overruns its box, and what it leaves unused. Simulated time. */
export async function run([seed = String(SEED)]: readonly string[]): Promise<Figures> {
  console.log(
    `${BOXES} boxes of ${BOX_MS / SECOND} s, turns of ${TURN_MS.from} to ${TURN_MS.to} ms (uniform), seed ${seed}; the same turns for each way\n`,
  );
  console.log(row(['algorithm', 'overruns', 'mean overrun', 'longest', 'turns a box', 'left unused']));
  for (const way of WAYS) {
    const random = seededRandom(Number(seed)).next;
    const results: TimeboxResult[] = [];
    // Drawn for each box before it is opened, so that a way that takes fewer turns does not shift those of the next box.
    for (let box = 0; box < BOXES; box++) results.push(await oneBox(way, durations(random)));
    console.log(row([`${way.algorithm} ${way.estimate ?? ''}`, ...figuresOf(results)]));
  }
  return {};
}

async function oneBox(way: Way, turnMs: readonly number[]): Promise<TimeboxResult> {
  const clock = new ManualClock();
  return await timebox(({ index }) => clock.advance(turnMs[index] ?? TURN_MS.to), {
    ...way,
    durationMs: BOX_MS,
    clock,
  });
}

function durations(random: () => number): number[] {
  const mostTurns = Math.ceil(BOX_MS / TURN_MS.from);
  return Array.from({ length: mostTurns }, () => TURN_MS.from + random() * (TURN_MS.to - TURN_MS.from));
}

function figuresOf(results: readonly TimeboxResult[]): string[] {
  const overrunsMs = results.map(({ overrunMs }) => overrunMs).filter((ms) => ms > 0);
  const unused = results.map(({ elapsedMs }) => Math.max(0, BOX_MS - elapsedMs) / BOX_MS);
  return [
    `${overrunsMs.length} of ${results.length}`,
    overrunsMs.length === 0 ? '-' : `${mean(overrunsMs).toFixed(0)} ms`,
    overrunsMs.length === 0 ? '-' : `${Math.max(...overrunsMs).toFixed(0)} ms`,
    mean(results.map(({ turns }) => turns)).toFixed(1),
    `${(100 * mean(unused)).toFixed(1)}%`,
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function row([first = '', ...rest]: readonly string[]): string {
  return first.padEnd(12) + rest.map((cell) => cell.padStart(14)).join('');
}
