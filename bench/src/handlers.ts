import { BATCH_PAGE_ITEMS, callAnswers, type Handler, systemClock } from '@escapement/core';

/** Open at once of what one run fans out to. */
const FAN_OUT = 200;

/** What the workers of a benchmark can do, by name: a function does not go to another process. */
export const BENCH_HANDLERS = {
  noop: (): Handler => async () => ({ status: 'succeeded' }),
  waiting: (): Handler => waiting,
  fanOut: (): Handler => (context) =>
    context.run.taskName === 'parent' ? fanOut(context) : Promise.resolve({ status: 'succeeded', output: 1 }),
};

export type BenchHandlerName = keyof typeof BENCH_HANDLERS;

/** Waits for as many milliseconds as the payload says, and tells when it began by this process' clock. */
const waiting: Handler = async (context) => {
  const startedMs = systemClock.now().getTime();
  await new Promise((resolve) => setTimeout(resolve, Number(context.payload ?? 0)));
  return { status: 'succeeded', output: { startedMs } };
};

/** What the run that fans out tells. */
export interface FanOutTimes {
  filledMs: number;
  readMs: number;
}

/** Opens a batch of as many items as the payload says, and reads the results in the order of the items. */
const fanOut: Handler = async ({ payload, ask }) => {
  const items = Number(payload);
  const startedMs = systemClock.monotonicMs();
  const opened = callAnswers.batch_open.parse(
    await ask({
      call: 'batch_open',
      name: '1',
      task: 'child',
      order: 'none',
      onError: 'continue',
      concurrency: FAN_OUT,
    }),
  );
  for (let first = 0; first < items; first += BATCH_PAGE_ITEMS) {
    const size = Math.min(BATCH_PAGE_ITEMS, items - first);
    const page = Array.from({ length: size }, (_, index) => ({ n: first + index }));
    await ask({ call: 'batch_add', batchId: opened.id, first, items: page });
  }
  await ask({ call: 'batch_seal', batchId: opened.id });
  const filledMs = systemClock.monotonicMs() - startedMs;
  for (let from = 0; ; ) {
    const page = callAnswers.batch_results.parse(await ask({ call: 'batch_results', batchId: opened.id, from }));
    from += page.results.length;
    if (page.over) break;
  }
  const output: FanOutTimes = { filledMs, readMs: systemClock.monotonicMs() - startedMs };
  return { status: 'succeeded', output: { ...output } };
};
