import type { HandlerCall, HandlerContext, HandlerSpec, Json, RunInfo } from '@escapement/core';

const RUN: RunInfo = {
  id: '01941f29-7c00-7000-8000-000000000001',
  namespace: 'default',
  taskName: 'nightly',
  pool: 'default',
  origin: 'schedule',
  scheduledFor: new Date('2025-01-01T00:00:00Z'),
  startedAt: new Date('2025-01-01T00:00:01Z'),
  latenessMs: 1200,
  requestedBy: 'ann@büro',
  causeRunId: null,
  traceparent: null,
  nextAt: null,
  timeoutMs: 3_600_000,
  attempt: 2,
  key: 'nightly',
  fence: 7n,
};

export interface Recorded<Spec> {
  context: HandlerContext<Spec>;
  /** What reached the run's log so far. */
  logged(): string;
  /** Resolves when the log holds this text. */
  said(text: string): Promise<void>;
  abort(reason: string): void;
  /** Resolves when the handler waits no more for what it needs to begin. */
  begun: Promise<void>;
  /** How often the handler said that it lives. */
  heartbeats(): number;
  /** Its last report of progress. */
  progress(): readonly unknown[];
}

/** A context that keeps what is logged, so that tests wait for words instead of sleeping. */
export function record<Spec extends HandlerSpec>(
  spec: Spec,
  payload?: Json,
  onAsk?: (call: HandlerCall) => unknown,
): Recorded<Spec> {
  const controller = new AbortController();
  const waiters: { text: string; resolve: () => void }[] = [];
  let logged = '';
  let heartbeats = 0;
  let reported: readonly unknown[] = [];
  const heartbeat = () => {
    heartbeats += 1;
  };
  const progress = (...report: readonly unknown[]) => {
    heartbeat();
    reported = report;
  };
  let onBegun: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  const preparing: HandlerContext['preparing'] = (ready) => ready.finally(onBegun);
  const ask = async (call: HandlerCall) => (onAsk ? onAsk(call) : null);
  const log = {
    write(text: string) {
      logged += text;
      for (const waiter of waiters) if (logged.includes(waiter.text)) waiter.resolve();
    },
  };
  return {
    context: { spec, run: RUN, payload, signal: controller.signal, log, heartbeat, progress, preparing, ask },
    begun,
    progress: () => reported,
    heartbeats: () => heartbeats,
    logged: () => logged,
    said: (text) =>
      new Promise((resolve) => {
        if (logged.includes(text)) resolve();
        else waiters.push({ text, resolve });
      }),
    abort: (reason) => controller.abort(reason),
  };
}
