import { groupedBy, SECOND } from '@escapement/core';
import type { Evidence } from '../evidence.ts';

/** Per fault how long it took from its healing to the moment when all was quiet, as a table in Markdown. */
export function recoveryTable({ faults }: Pick<Evidence, 'faults'>): string {
  const measured = faults.filter(({ recoveredMs }) => typeof recoveredMs === 'number');
  const rows = [...groupedBy(measured, ({ name }) => name)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, own]) => {
      const times = own
        .map(({ recoveredMs, healedMs }) => Math.max(0, (recoveredMs ?? 0) - healedMs))
        .sort((a, b) => a - b);
      return `| ${name} | ${own.length} | ${seconds(median(times))} | ${seconds(times.at(-1) ?? 0)} |`;
    });
  return ['| fault | times | median | max |', '|---|---|---|---|', ...rows].join('\n');
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function seconds(ms: number): string {
  return `${(ms / SECOND).toFixed(1)} s`;
}
