import { groupedBy, SECOND } from '@escapement/core';
import type { Evidence, FaultWindow, MemberRecord } from '../evidence.ts';
import { at, type Finding, type Invariant } from './invariant.ts';
import { isTrouble } from './processes.ts';

const SHOWN_VIOLATIONS = 10;
const SHOWN_HISTORIES = 5;
const SHOWN_MESSAGES = 8;
const RUN_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export type Verdict = Finding & { invariant: Invariant };

/** What happened and what held, as tables for people; of what broke, the runs' histories and the processes' troubles. */
export function formatReport(evidence: Evidence, verdicts: readonly Verdict[]): string {
  const faults = evidence.faults.map(faultLine);
  const rows = verdicts.map(({ invariant, figures, violations }) => [
    invariant.id,
    violations.length === 0 ? 'holds' : `BROKEN ${violations.length}x`,
    invariant.title,
    figures,
  ]);
  const broken = verdicts.some(({ violations }) => violations.length > 0);
  const details = broken
    ? [...violationLines(evidence, verdicts), '', ...evidence.members.flatMap(troubleLines), '']
    : [];
  return ['', ...table(faults), '', ...table(rows), '', ...details].join('\n');
}

function violationLines(evidence: Evidence, verdicts: readonly Verdict[]): string[] {
  const lines = verdicts.flatMap(({ invariant, violations }) => {
    const shown = violations.slice(0, SHOWN_VIOLATIONS).map((violation) => `${invariant.id}: ${violation}`);
    const more = violations.length - shown.length;
    return more > 0 ? [...shown, `${invariant.id}: and ${more} more`] : shown;
  });
  const named = new Set(lines.flatMap((line) => line.match(RUN_ID) ?? []));
  return [...lines, ...[...named].slice(0, SHOWN_HISTORIES).flatMap((runId) => historyLines(evidence, runId))];
}

function historyLines({ moves, runs }: Evidence, runId: string): string[] {
  const task = runs.find((run) => run.id === runId)?.task;
  const steps = moves.filter((move) => move.runId === runId);
  return [
    `run ${runId} of ${task}, key ${steps[0]?.key}:`,
    ...steps.map(
      (move) =>
        `  ${at(move.atMs)} ${move.from ?? ''} -> ${move.to}, due ${at(move.dueMs)}, attempt ${move.attempt}, fence ${move.fence}, ${move.worker}: ${move.reason}`,
    ),
  ];
}

function troubleLines({ name, log }: MemberRecord): string[] {
  const like = groupedBy(log.filter(isTrouble), ({ level, message }) => `${level} ${message.replace(/\d+/g, '#')}`);
  const most = [...like].sort((a, b) => b[1].length - a[1].length).slice(0, SHOWN_MESSAGES);
  return most.map(([what, lines]) => `${name}: ${lines.length} x ${what}, first at ${at(lines[0]?.atMs ?? 0)}`);
}

/** When, what, how long until it was healed and until all was quiet again. */
export function faultLine(fault: FaultWindow): string[] {
  const healed = `healed ${seconds(fault.healedMs - fault.fromMs)}`;
  return [at(fault.fromMs), fault.name, healed, recovery(fault), fault.detail];
}

function recovery({ failed, recoveredMs, healedMs }: FaultWindow): string {
  if (failed !== undefined) return `FAILED: ${failed}`;
  if (recoveredMs === undefined) return '';
  return recoveredMs === null ? 'NOT RECOVERED' : `recovered ${seconds(Math.max(0, recoveredMs - healedMs))}`;
}

function seconds(ms: number): string {
  return `after ${(ms / SECOND).toFixed(1)} s`;
}

function table(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
