import type { AnswerOf } from '@escapement/api/calls';
import { getBulkRequest, listBulkRequests, listBulkResults } from '@escapement/api/routes';
import { bulkAction, SECOND } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { readCount } from '../options.ts';
import { inUtc } from '../output/wording.ts';
import { noteRefused, showResult } from './bulk.ts';
import { followRequest } from './follow-request.ts';

/** Results that are asked for at once. */
const RESULTS_PAGE = 1000;

/** `requests list` and `show`: bulk actions, which schedulers carry out. */
export function addRequests(program: Command, context: Context): void {
  const requests = program.command('requests').description('bulk actions that were asked for, and how far they are');
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
    .option('--results', 'each run or task that it was done to so far, and the run that was made of it', false)
    .action((id: string, options: ShowOptions) => show(id, options, context));
}

interface ShowOptions {
  wait: boolean;
  results: boolean;
}

async function list(limit: number, context: Context): Promise<void> {
  const { output } = context;
  const { items } = await withFleet(context, (fleet) => fleet.call(listBulkRequests, { query: { limit } }));
  output.table(items.map(toJson), items, [
    { title: 'ASKED', value: ({ askedAt }) => inUtc(askedAt), spare: 3 },
    { title: 'BY', value: ({ askedBy }) => askedBy.name, spare: 1 },
    { title: 'WHAT', value: kindOf },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'DONE', value: howFar, align: 'right' },
    { title: 'ID', value: ({ id }) => id, whole: true },
    { title: 'REASON', value: ({ reason }) => reason ?? '', wraps: true, spare: 2 },
  ]);
  if (items.length === 0) output.note('nothing was asked for');
}

async function show(id: string, { wait, results }: ShowOptions, context: Context): Promise<void> {
  const { output } = context;
  await withFleet(context, async (fleet) => {
    if (wait) {
      const signal = context.interruptible();
      const result = await followRequest(fleet, id, { signal, noteAfterMs: 2 * SECOND }, context);
      if (!results) return showResult(id, result, { done: 'done' }, context);
    }
    if (results) return await showResults(fleet, id, context);
    const request = await fleet.call(getBulkRequest, { params: { id } });
    const { action, askedBy, askedAt, reason, state, error } = request;
    output.result(toJson(request), () => [
      `${kindOf(request)}, asked for by ${askedBy.name} at ${inUtc(askedAt)}${reason ? `: ${reason}` : ''}`,
      `${state}${howFar(request) ? `: ${howFar(request)}` : ''}${error ? `: ${error.message}` : ''}`,
      JSON.stringify(action),
    ]);
  });
}

/** All of them: as many pages as there are. */
async function showResults(fleet: Calls, id: string, { output }: Context): Promise<void> {
  const items: Result[] = [];
  let page: AnswerOf<typeof listBulkResults> | undefined;
  do {
    const query = { limit: RESULTS_PAGE, ...(page?.next ? { after: page.next } : {}) };
    page = await fleet.call(listBulkResults, { params: { id }, query });
    items.push(...page.items);
  } while (page.next !== null);
  output.table({ request: id, items, counts: page.counts }, items, [
    { title: 'AT', value: ({ at }) => inUtc(at) },
    { title: 'TASK', value: ({ taskName }) => taskName ?? '-' },
    { title: 'RUN', value: ({ runId }) => runId ?? '-', whole: true },
    { title: 'OUTCOME', value: ({ outcome }) => outcome },
    { title: 'NEW RUN', value: ({ newRunId }) => newRunId ?? '-' },
  ]);
  if (items.length === 0) output.note('it was done to nothing so far');
  const { counts } = page;
  if (!counts) return;
  noteRefused(counts, output);
  if (counts.passed > 0) output.note(`${counts.passed} had moved on meanwhile and were left alone`);
}

type Result = AnswerOf<typeof listBulkResults>['items'][number];

type Request = AnswerOf<typeof getBulkRequest>;

function howFar({ state, counts }: Request): string {
  if (!counts) return '';
  return state === 'done' ? String(counts.done) : `${counts.done} of ${counts.total}`;
}

function kindOf({ action: asked }: Request): string {
  return bulkAction.safeParse(asked).data?.kind.replace('_', ' ') ?? 'unknown';
}

function toJson({ id, action: request, askedBy, askedAt, reason, state, counts, error }: Request): object {
  return {
    ...{ id, request, askedBy, askedAt, reason, state },
    ...(counts ? (state === 'running' || state === 'paused' ? { progress: counts } : { result: counts }) : {}),
    ...(error ? { error: { code: error.code, message: error.message } } : {}),
  };
}
