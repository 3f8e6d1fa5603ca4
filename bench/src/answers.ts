import type { Answer } from './open-loop.ts';
import { figure, quantile, tableOf } from './table.ts';

const SHARES = [0.5, 0.95, 0.99, 1];

/** One that has failed has no end. */
function timesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ tookMs, failure }) => (failure === undefined ? tookMs : Number.POSITIVE_INFINITY));
}

/** Milliseconds. */
export function p95(answers: readonly Answer[]): number {
  return quantile(timesOf(answers), 0.95);
}

/** A line for each kind of request, and the words of the first failures. */
export function answerTable(answers: readonly Answer[]): string {
  const kinds = [...new Set(answers.map(({ kind }) => kind))];
  const failures = answers.flatMap(({ failure }) => failure ?? []);
  const rows = kinds.map((kind) => {
    const times = timesOf(answers.filter((each) => each.kind === kind));
    const failed = times.filter((ms) => !Number.isFinite(ms)).length;
    return [kind, String(times.length), String(failed), ...SHARES.map((share) => figure(quantile(times, share), 1))];
  });
  const first = failures.slice(0, 3).map((each) => `failed: ${each}\n`);
  return `${tableOf([['request, ms', 'times', 'failed', 'p50', 'p95', 'p99', 'max'], ...rows])}${first.join('')}`;
}
