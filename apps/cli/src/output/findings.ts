import type { Finding } from '@escapement/operations';
import type { Output } from './print.ts';

const SIGNS = { ok: 'ok', warning: 'WARN', problem: 'BAD' } as const;

/** A line for each finding. `json`: what is written instead where that is asked for. */
export function printFindings(output: Output, json: unknown, findings: readonly Finding[]): void {
  output.table(json, findings, [
    { title: '', value: ({ level }) => SIGNS[level] },
    { title: 'WHAT', value: ({ subject }) => subject },
    { title: 'FINDING', value: ({ detail, fix, page }) => [detail, fix, page].filter(Boolean).join('; '), wraps: true },
  ]);
}
