import {
  connectRedis,
  createRunConsumer,
  createRunQueue,
  type RunConsumer,
  type RunConsumerOptions,
  type RunJob,
  type RunQueueOptions,
  type RunRef,
} from '@escapement/queue';
import { onTestFinished, vi } from 'vitest';

let lastRun = 0;

/** A run that no other test has. */
export function aRun(changes: Partial<RunJob> = {}): RunJob {
  lastRun += 1;
  return { pool: 'default', runId: `run-${process.pid}-${lastRun}`, dispatch: 1, delayMs: 0, ...changes };
}

export function aConnection(url: string, commandTimeoutMs = 5000) {
  const connection = connectRedis({ url, namespace: 'test', commandTimeoutMs });
  onTestFinished(() => connection.close());
  return connection;
}

export async function aRunQueue(url: string, options: RunQueueOptions & { commandTimeoutMs?: number } = {}) {
  const { commandTimeoutMs, ...queueOptions } = options;
  const connection = aConnection(url, commandTimeoutMs);
  await vi.waitFor(() => connection.ping(), { timeout: 5000 });
  const queue = createRunQueue(connection, queueOptions);
  onTestFinished(() => queue.close());
  return queue;
}

export interface TestConsumer {
  consumer: RunConsumer;
  /** What was executed, in order. */
  executed: RunRef[];
  errors: Error[];
}

/** A started consumer of the pool `default` that notes what it executes. */
export function aConsumer(url: string, changes: Partial<RunConsumerOptions> = {}): TestConsumer {
  const executed: RunRef[] = [];
  const errors: Error[] = [];
  const { execute = async () => undefined, ...rest } = changes;
  const consumer = createRunConsumer({
    redis: { url, namespace: 'test' },
    pools: ['default'],
    concurrency: 5,
    onError: (error) => errors.push(error),
    ...rest,
    async execute(ref) {
      executed.push(ref);
      await execute(ref);
    },
  });
  onTestFinished(() => consumer.close(500));
  consumer.start();
  return { consumer, executed, errors };
}

/** Waits for a condition; what it throws last is the test's failure. */
export function eventually(check: () => void | Promise<void>, timeout = 10_000): Promise<void> {
  return vi.waitFor(check, { timeout, interval: 20 });
}

/** A promise and what opens it. */
export function aGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
