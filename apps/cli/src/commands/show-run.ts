import type { AnswerOf } from '@escapement/api/calls';
import { getRun } from '@escapement/api/routes';
import {
  formatBatch,
  formatProgress,
  formatRate,
  type Lateness,
  type RunError,
  SECOND,
  tookMs,
} from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { auditLines } from '../output/audit.ts';
import { outboxLine } from '../output/outbox.ts';
import { counted, inUtc, span } from '../output/wording.ts';
import { type OneRunOptions, oneRun, withOneRun } from './one-run.ts';
import { linkOf } from './run-tree.ts';
import { duration, lateness, stateOf } from './runs.ts';

type Run = AnswerOf<typeof getRun>;

export function addShowRun(runs: Command, context: Context): void {
  withOneRun(
    runs.command('show').description('everything about a run, with its earlier attempts and what people did to it'),
  ).action((id: string | undefined, options: OneRunOptions) => showRun(id, options, context));
}

async function showRun(id: string | undefined, options: OneRunOptions, context: Context): Promise<void> {
  const run = await withFleet(context, async (fleet) =>
    fleet.call(getRun, { params: { id: await oneRun(fleet, id, options) } }),
  );
  context.output.result(run, () => [
    ...runLines(run),
    ...(run.traceUrl === null ? [] : [`trace:         ${run.traceUrl}`]),
    ...heldBackLines(run.heldBack),
    ...run.marks.map(({ rule, detail }) => `suspicious:    ${detail} (rule ${rule})`),
    ...followerLines(run.followers, run.followersOutbox),
    ...batchLines(run.batches),
    ...attemptLines(run.attempts),
    ...auditLines(run.audit),
  ]);
}

function heldBackLines(heldBack: Run['heldBack']): string[] {
  return heldBack ? [`not begun:     ${heldBack.reason}`, `what helps:    ${heldBack.advice}`] : [];
}

function followerLines(followers: Run['followers'], followersOutbox: Run['followersOutbox']): string[] {
  const lines = [
    ...followers.map((each) => `  ${linkOf(each)}: ${each.taskName} ${each.state}, ${each.id}`),
    ...followersOutbox.map((each) => `  ${outboxLine(each)}`),
  ];
  return lines.length > 0 ? ['', 'followed by:', ...lines] : [];
}

function batchLines(batches: Run['batches']): string[] {
  if (batches.length === 0) return [];
  return ['', 'fanned out:', ...batches.map(batchLine)];
}

function batchLine(batch: Run['batches'][number]): string {
  const join = batch.joinTask === null ? '' : `, joined by ${batch.joinTask}`;
  const reason = batch.reason === null ? '' : ` (${batch.reason})`;
  return `  ${batch.id}: ${batch.taskName}: ${batch.state}${reason}: ${formatBatch(batch)}${join}`;
}

function runLines(run: Run): string[] {
  const { rate: turn, lateness } = run;
  const facts: [string, string | null | undefined][] = [
    ['run', run.id],
    ['task', `${run.taskName} (version ${run.taskVersion})`],
    ['state', stateOf(run)],
    ['reason', run.reason],
    ['origin', run.requestedBy ? `${run.origin}, asked for by ${run.requestedBy}` : run.origin],
    ['scheduled for', inUtc(run.scheduledFor)],
    ['start by', run.startedAt ? null : run.startBy && inUtc(run.startBy)],
    ['stretches to', run.untilAt && `${inUtc(run.untilAt)} (${counted(run.occurrences, 'occurrence')})`],
    ['started', run.startedAt && `${inUtc(run.startedAt)}${lateNote(run)}`],
    ['why late', lateness && whyLate(lateness)],
    ['progress', progressNote(run)],
    ['finished', run.finishedAt && inUtc(run.finishedAt)],
    ['took', tookMs(run) === null ? null : duration(run)],
    ['cancel asked', cancelNote(run)],
    ['attempt', run.attempt === 0 ? null : String(run.attempt)],
    ['lost workers', run.lost === 0 ? null : String(run.lost)],
    ['exit code', run.exitCode === null ? null : String(run.exitCode)],
    ['worker', run.worker],
    ['belongs to', run.ofWorker && `worker ${run.ofWorker}`],
    ['key', keyWords(run)],
    ['pool', run.pool],
    [blockTitle(run), run.blockedBy],
    ['waiting since', waitNote(run)],
    ['may start', turn && turnNote(turn)],
    ['rerun of', run.rerunOf],
    ['caused by', run.causeRunId && `run ${run.causeRunId}`],
    ['payload', textOf(run.payload)],
    ['output', textOf(run.output)],
    ['error', run.error && errorText(run.error)],
  ];
  return facts.flatMap(([title, value]) =>
    value ? [`${`${title}:`.padEnd(14)} ${value.replaceAll('\n', `\n${' '.repeat(15)}`)}`] : [],
  );
}

function keyWords({ key, ownKey, fence }: Run): string {
  const notes = [...(ownKey ? ['given for this run'] : []), ...(fence === null ? [] : [`fence ${fence}`])];
  return notes.length === 0 ? key : `${key} (${notes.join(', ')})`;
}

/** Null: there is none, or it is not shown. */
function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function progressNote({ progress }: Run): string | null {
  return progress ? `${formatProgress(progress)} (said at ${inUtc(progress.at)})` : null;
}

function cancelNote({ cancelRequestedAt, cancelRequestedBy, cancelReason }: Run): string | null {
  if (!cancelRequestedAt) return null;
  return `${inUtc(cancelRequestedAt)}${cancelRequestedBy ? ` by ${cancelRequestedBy}` : ''}${cancelReason ? `: ${cancelReason}` : ''}`;
}

/** A run that was skipped after a wait was blocked for good. */
function blockTitle({ state, waitingSince }: Run): string {
  if (state === 'waiting') return 'waits for';
  return waitingSince && state !== 'skipped' ? 'waited for' : 'blocked by';
}

/** A run that waited for its key began when that was free, or ended first; it keeps what it waited for. */
function waitNote({ state, waitingSince, waitUntil, startedAt, finishedAt }: Run): string | null {
  if (!waitingSince) return null;
  if (state === 'waiting')
    return `${inUtc(waitingSince)}${waitUntil ? `, until ${inUtc(waitUntil)} at the latest` : ''}`;
  const until = startedAt ?? finishedAt;
  return `${inUtc(waitingSince)}${until ? `, for ${span(Math.max(0, until.getTime() - waitingSince.getTime()))}` : ''}`;
}

/** When it is its turn, should all before it start as soon as they may. */
function turnNote(rate: NonNullable<Run['rate']>): string {
  const { turnAt, ahead, pool, rateKey } = rate;
  const behind = ahead === 0 ? 'the next' : `after ${counted(ahead, 'other run')}`;
  return `about ${inUtc(turnAt)}, ${behind}: the rate ${pool === null ? `"${rateKey}"` : `of the pool "${pool}"`} is ${formatRate(rate)}`;
}

/** What is short is not worth a line. */
function whyLate({ totalMs, plannedMs, waitedMs, queuedMs }: Lateness): string | null {
  if (totalMs < SECOND) return null;
  const parts: [number, string][] = [
    [plannedMs, 'until it was planned or asked for'],
    [waitedMs, 'waiting for its key or a rate'],
    [queuedMs, 'until a worker had taken and begun it'],
  ];
  return parts.flatMap(([ms, what]) => (ms > 0 ? [`${span(ms)} ${what}`] : [])).join(', ');
}

function lateNote(run: Run): string {
  const late = lateness(run);
  return late === '-' ? '' : ` (${late} late)`;
}

/** An error with its stack, its own fields and what caused it. */
function errorText({ name, message, stack, fields, cause }: RunError): string {
  const head = `${name}: ${message}`;
  return [
    // The stack of an error begins with its name and message, unless they were changed after it was made.
    stack === undefined ? head : stack.startsWith(head) ? stack : `${head}\n${stack}`,
    ...(fields ? [JSON.stringify(fields)] : []),
    ...(cause ? [`caused by ${errorText(cause)}`] : []),
  ].join('\n');
}

function attemptLines(attempts: Run['attempts']): string[] {
  if (attempts.length === 0) return [];
  return ['', 'earlier attempts:', ...attempts.flatMap(linesOf)];
}

function linesOf(past: Run['attempts'][number]): string[] {
  const { attempt, outcome, reason, worker, fence, startedAt, finishedAt, exitCode, error } = past;
  const about = [
    startedAt ? `started ${inUtc(startedAt)}, took ${span(finishedAt.getTime() - startedAt.getTime())}` : null,
    worker && `worker ${worker}`,
    fence === null ? null : `fence ${fence}`,
    exitCode === null ? null : `exit code ${exitCode}`,
  ].filter((each) => each !== null);
  return [
    `  ${attempt}: ${outcome} at ${inUtc(finishedAt)}${reason ? `: ${reason}` : ''}`,
    `     ${about.join(', ')}`,
    ...(error ? [`     ${errorText(error).replaceAll('\n', '\n     ')}`] : []),
  ];
}
