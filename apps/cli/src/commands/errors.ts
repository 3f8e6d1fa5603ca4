import type { AnswerOf } from '@escapement/api/calls';
import { listErrors, muteError, redriveError, reopenError, resolveError } from '@escapement/api/routes';
import { EscapementError, readInstant, SECOND } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { checkFingerprint, type ErrorChange } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readCount, readSelector } from '../options.ts';
import { counted, fromNow, inUtc, systemZone } from '../output/wording.ts';
import { showResult } from './bulk.ts';
import { followRequest } from './follow-request.ts';
import { pauseEnd } from './pause-end.ts';

interface TimeOptions {
  since: string;
  task?: string;
}

interface ListOptions extends TimeOptions {
  newSince?: string;
  label?: LabelSelector;
  all: boolean;
  limit: number;
}

interface ReasonOptions {
  reason?: string;
}

const SINCE = ['--since <instant>', 'runs scheduled then or later: ISO 8601, or a span such as 2h', '24h'] as const;
const TASK = ['--task <name>', 'only of one task'] as const;
const REASON = ['--reason <text>', 'why; kept in the audit'] as const;
const FINGERPRINT = ['<fingerprint>', 'as `errors list` shows it'] as const;

/** `errors`: what fails, by what it has in common. */
export function addErrors(program: Command, context: Context): void {
  const errors = program
    .command('errors')
    .description('failures for good, by what they have in common; resolve, mute and run them again');
  errors
    .command('list')
    .description('what has failed, the most frequent first, without what is resolved or muted')
    .option(...SINCE)
    .option(...TASK)
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .option('--new-since <instant>', 'only what never failed before: ISO 8601, or a span such as 2h')
    .option('--all', 'also what is resolved or muted', false)
    .option('--limit <n>', 'at most this many, 1 to 1000', readCount('--limit', 1, 1000), 50)
    .action((options: ListOptions) => showErrors(options, context));
  errors
    .command('resolve')
    .description('nothing is to be done about it any more; if it fails later, it is back')
    .argument(...FINGERPRINT)
    .option(...REASON)
    .action((id: string, { reason }: ReasonOptions) => change(id, { kind: 'resolve' }, reason, context));
  errors
    .command('mute')
    .description('do not list it until an instant')
    .argument(...FINGERPRINT)
    .requiredOption('--until <instant>', 'ISO 8601, or a span such as 2h')
    .option(...REASON)
    .action((id: string, { reason, until }: ReasonOptions & { until: string }) =>
      change(id, { kind: 'mute', untilAt: endOf(until, context) }, reason, context),
    );
  errors
    .command('reopen')
    .description('take back that it is resolved or muted')
    .argument(...FINGERPRINT)
    .option(...REASON)
    .action((id: string, { reason }: ReasonOptions) => change(id, { kind: 'reopen' }, reason, context));
  errors
    .command('redrive')
    .description('run again what failed with it and was not run again yet')
    .argument(...FINGERPRINT)
    .option(...SINCE)
    .option(...TASK)
    .option(...REASON)
    .action((id: string, options: TimeOptions & ReasonOptions) => redrive(id, options, context));
}

function endOf(until: string, context: Context): Date {
  const end = pauseEnd({ until }, context);
  if (end) return end;
  throw new EscapementError('bad_instant', 'it is not said until when', { fix: 'give --until' });
}

function askedFor({ since, task }: TimeOptions, context: Context): { since: Date; task: string | undefined } {
  return { since: instantOf('--since', since, context), task };
}

function instantOf(what: string, text: string, { clock }: Context): Date {
  return readInstant(text, { what, now: clock.now(), spans: 'ago', timeZone: systemZone() });
}

async function showErrors(options: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const { since, task } = askedFor(options, context);
  const { all, label, limit, newSince } = options;
  const fresh = newSince === undefined ? undefined : instantOf('--new-since', newSince, context);
  const now = clock.now();
  const query = {
    ...{ since: since.toISOString(), task, label: label?.text, limit },
    ...(all ? {} : { state: 'open,back' }),
    ...(fresh ? { newSince: fresh.toISOString() } : {}),
  };
  const found = await withFleet(context, (fleet) => fleet.call(listErrors, { query }));
  const { items: shown, total, ofAllStates, lookedBackTo } = found;
  output.table({ since, lookedBackTo, total, items: shown }, shown, [
    { title: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint },
    { title: 'COUNT', value: ({ count }) => String(count), align: 'right' },
    { title: 'LAST', value: ({ lastAt }) => fromNow(lastAt, now) },
    { title: 'FIRST', value: (group) => firstOf(group, now) },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'TASKS', value: tasksOf },
    { title: 'ERROR', value: errorOf, wraps: true },
  ]);
  if (shown.length === 0) output.note(`${noneWords(since, fresh)}${hiddenNote(ofAllStates - total, options)}`);
  else if (total > shown.length) output.note(`only the first ${shown.length} of ${total}; more: --limit`);
  if (lookedBackTo) output.note(`only the latest failures were looked at: nothing before ${inUtc(lookedBackTo)}`);
}

type FailureGroup = AnswerOf<typeof listErrors>['items'][number];

function noneWords(since: Date, fresh: Date | undefined): string {
  return fresh
    ? `nothing has failed for the first time since ${inUtc(fresh)}`
    : `nothing has failed since ${inUtc(since)}`;
}

function hiddenNote(hidden: number, { all, newSince }: ListOptions): string {
  if (hidden === 0) return '';
  if (newSince === undefined) return ` but for ${counted(hidden, 'error')} resolved or muted: --all`;
  return `; ${counted(hidden, 'error')} of before${all ? '' : ', or resolved or muted'}`;
}

function tasksOf({ tasks, taskCount }: FailureGroup): string {
  const [first] = tasks;
  return `${first?.name ?? '-'}${taskCount > 1 ? ` and ${taskCount - 1} more` : ''}`;
}

/** When it came first, and in which release where that is known. */
function firstOf({ firstSeenAt, firstRelease }: FailureGroup, now: Date): string {
  return `${fromNow(firstSeenAt, now)}${firstRelease === null ? '' : ` (${firstRelease})`}`;
}

function errorOf({ name, message, frame }: FailureGroup): string {
  return `${name === null ? '' : `${name}: `}${message}${frame === null ? '' : ` at ${frame}`}`;
}

async function change(id: string, said: ErrorChange, reason: string | undefined, context: Context): Promise<void> {
  checkFingerprint(id);
  const of = { params: { fingerprint: id } };
  await withFleet(context, async (fleet) => {
    if (said.kind === 'resolve') return await fleet.call(resolveError, { ...of, body: { reason } });
    if (said.kind === 'reopen') return await fleet.call(reopenError, { ...of, body: { reason } });
    return await fleet.call(muteError, { ...of, body: { reason, untilAt: said.untilAt.toISOString() } });
  });
  context.output.result({ fingerprint: id, ...said }, () => [`${id} is ${wordsOf(said)}`]);
}

function wordsOf(said: ErrorChange): string {
  if (said.kind === 'mute') return `muted until ${inUtc(said.untilAt)}`;
  return said.kind === 'resolve' ? 'resolved' : 'open again';
}

async function redrive(id: string, options: TimeOptions & ReasonOptions, context: Context): Promise<void> {
  checkFingerprint(id);
  const { since, task } = askedFor(options, context);
  await withFleet(context, async (fleet) => {
    const signal = context.interruptible();
    const asked = { params: { fingerprint: id }, query: { since: since.toISOString(), task } };
    const { id: request } = await fleet.call(redriveError, { ...asked, body: { reason: options.reason } });
    const result = await followRequest(fleet, request, { signal, noteAfterMs: 2 * SECOND }, context);
    showResult(request, result, { done: 'rerun' }, context);
  });
}
