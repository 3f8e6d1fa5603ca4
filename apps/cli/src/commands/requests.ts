import { bulkAct, SECOND } from '@escapement/core';
import { type BulkState, bulkState, requireRequest } from '@escapement/operations';
import { listRequests, type RequestView } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { readCount } from '../options.ts';
import { inUtc } from '../output/wording.ts';
import { showResult } from './bulk.ts';
import { followRequest } from './follow-request.ts';

/** `requests list` and `show`: acts on many runs, which schedulers carry out. */
export function addRequests(program: Command, context: Context): void {
  const requests = program
    .command('requests')
    .description('acts on many runs that were asked for, and how far they are');
  requests
    .command('list')
    .description('the acts of the last day and those that go on, the latest first')
    .option('--limit <n>', 'at most this many, 1 to 1000', readCount('--limit', 1, 1000), 50)
    .action((options: { limit: number }) => list(options.limit, context));
  requests
    .command('show')
    .description('one act: what was asked, by whom, and what has come of it')
    .argument('<id>', 'id of the request')
    .option('--wait', 'wait for its end', false)
    .action((id: string, options: { wait: boolean }) => show(id, options.wait, context));
}

async function list(limit: number, context: Context): Promise<void> {
  const { output, clock } = context;
  const found = await withDatabase(context, (db) => listRequests(db, limit));
  const now = clock.now();
  const rows = found.map((request) => ({ request, state: bulkState(request, now) }));
  output.table(
    rows.map(({ request, state }) => toJson(request, state)),
    rows,
    [
      { title: 'ASKED', value: ({ request }) => inUtc(request.askedAt) },
      { title: 'BY', value: ({ request }) => request.askedBy.name },
      { title: 'WHAT', value: ({ request }) => kindOf(request) },
      { title: 'STATE', value: ({ state }) => state.state },
      { title: 'DONE', value: ({ state }) => howFar(state), align: 'right' },
      { title: 'ID', value: ({ request }) => request.id },
      { title: 'REASON', value: ({ request }) => request.reason ?? '', wraps: true },
    ],
  );
  if (rows.length === 0) output.note('nothing was asked for');
}

async function show(id: string, wait: boolean, context: Context): Promise<void> {
  const { output, clock } = context;
  await withDatabase(context, async (db) => {
    if (wait) {
      const signal = context.interruptible();
      return showResult(
        id,
        await followRequest(db, id, { signal, noteAfterMs: 2 * SECOND }, context),
        { done: 'done' },
        context,
      );
    }
    const request = await requireRequest(db, id);
    const state = bulkState(request, clock.now());
    output.result(toJson(request, state), () => [
      `${kindOf(request)}, asked for by ${request.askedBy.name} at ${inUtc(request.askedAt)}${request.reason ? `: ${request.reason}` : ''}`,
      `${state.state}${howFar(state) ? `: ${howFar(state)}` : ''}${state.state === 'failed' ? `: ${state.error.message}` : ''}`,
      JSON.stringify(request.request),
    ]);
  });
}

function howFar(state: BulkState): string {
  if (state.state === 'running') return `${state.progress.done} of ${state.progress.total}`;
  return state.state === 'done' ? String(state.result.done) : '';
}

function kindOf({ request }: RequestView): string {
  return bulkAct.safeParse(request).data?.kind.replace('_', ' ') ?? 'unknown';
}

function toJson({ id, request, askedBy, askedAt, reason }: RequestView, state: BulkState): object {
  const error = state.state === 'failed' ? { error: { code: state.error.code, message: state.error.message } } : {};
  const progress = state.state === 'running' ? { progress: { ...state.progress, chunk: undefined } } : {};
  const result = state.state === 'done' ? { result: state.result } : {};
  return { id, request, askedBy, askedAt, reason, state: state.state, ...progress, ...result, ...error };
}
