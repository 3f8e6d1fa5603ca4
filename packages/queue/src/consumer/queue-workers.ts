import { setTimeout as sleep } from 'node:timers/promises';
import { parseQueue, SECOND } from '@escapement/core';
import type { Processor } from 'bullmq';
import { createConnectionWatch } from '../redis/connection-watch.ts';
import { createMarkerWait, type MarkerWait } from './marker-wait.ts';
import type { PlacesByPool } from './places.ts';
import { QueueWorker, type WorkerClient } from './queue-worker.ts';
import type { TakenJob } from './taken-job.ts';

export interface QueueWorkersOptions {
  namespace: string;
  queues: readonly string[];
  concurrency: number;
  places: PlacesByPool;
  leaseMs: number;
  take: (taken: TakenJob) => Promise<void>;
  /** The time by which runs are due. */
  now: () => Date;
  /** Hears of errors of BullMQ and the connection. */
  complain: (error: Error) => void;
}

/** BullMQ's workers of one process: which of them rest, and whether they hear Redis. */
export interface QueueWorkers {
  /** Opens all, on this connection. */
  open(client: WorkerClient): void;
  of(queue: string): QueueWorker | undefined;
  /** Whether nothing of the queue is to be taken. */
  isHeld(queue: string): boolean;
  /** Nothing of these pools is taken from now on, and of the others again. */
  hold(pools: ReadonlySet<string>): void;
  /** As `hold`, of one pool more. */
  holdToo(pool: string): void;
  /** All rest, whatever pool is held. */
  pause(): Promise<void>;
  resume(): void;
  close(): Promise<unknown>;
}

const WATCH_MS = 5 * SECOND;

export function createQueueWorkers(options: QueueWorkersOptions): QueueWorkers {
  const workers = new Map<string, QueueWorker>();
  const connections = createConnectionWatch();
  let held: ReadonlySet<string> = new Set();
  let paused = false;
  let closing = false;
  let link: Link | undefined;
  let watching: NodeJS.Timeout | undefined;
  const isHeld = (queue: string): boolean => held.has(parseQueue(queue).pool);
  const mustRest = (queue: string): boolean => paused || isHeld(queue);
  const queues = new Set(options.queues);
  const complain = (error: Error): void => {
    if (!closing) options.complain(error);
  };

  function openOne(link: Link, queue: string): void {
    const process: Processor<unknown, void> = (job, token) => options.take({ queue, worker, job, token });
    const places = options.places.of(queue);
    const worker: QueueWorker = new QueueWorker({ ...options, ...link, queue, places, queues: queues.size, process });
    worker.on('error', complain);
    worker.run().catch(complain);
    workers.set(queue, worker);
    if (mustRest(queue)) worker.pause(true).catch(complain);
  }

  /** Makes each worker rest or go on, as is wanted now. */
  async function tell(): Promise<void> {
    const changed = [...workers].filter(([queue, worker]) => mustRest(queue) !== worker.isPaused());
    await Promise.all(changed.map(([queue, worker]) => (mustRest(queue) ? worker.pause(true) : worker.resume())));
  }

  function hold(pools: ReadonlySet<string>): void {
    held = pools;
    if (!closing) tell().catch(complain);
  }

  async function watch(link: Link): Promise<void> {
    const hasRoom = (queue: string) => options.places.of(queue).taken < options.concurrency;
    const withRoom = [...workers].filter(([queue]) => !mustRest(queue) && hasRoom(queue));
    const silent = connections.look(withRoom.map(([queue, worker]) => ({ queue, silentMs: worker.silentMs() })));
    if (silent.length === 0 || !(await answers(link.client)) || closing) return;
    for (const queue of silent) {
      complain(
        new Error(`the worker of the queue "${queue}" heard nothing from Redis, which answers others: replaced`),
      );
      workers.get(queue)?.close().catch(complain);
      openOne(link, queue);
    }
  }

  return {
    open(client) {
      const opened = linkOf(client, complain);
      link = opened;
      for (const queue of queues) openOne(opened, queue);
      watching = setInterval(() => watch(opened).catch(complain), WATCH_MS);
      watching.unref();
    },
    of: (queue) => workers.get(queue),
    isHeld,
    hold,
    holdToo: (pool) => hold(new Set([...held, pool])),
    async pause() {
      paused = true;
      await tell();
    },
    resume() {
      paused = false;
      if (!closing) tell().catch(complain);
    },
    close() {
      closing = true;
      clearInterval(watching);
      const closed = [...workers.values()].map((worker) => worker.close());
      link?.waits.close();
      return Promise.allSettled(closed);
    },
  };
}

/** What all workers of a process share. */
interface Link {
  client: WorkerClient;
  waits: MarkerWait;
}

function linkOf(client: WorkerClient, onError: (error: Error) => void): Link {
  // A command that was under way when the connection broke is not sent again: its time is over by then.
  const blocking = client.duplicate({ autoResendUnfulfilledCommands: false });
  blocking.on('error', onError);
  return { client, waits: createMarkerWait({ blocking, control: client }, onError) };
}

async function answers(client: WorkerClient): Promise<boolean> {
  const answer = client.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, sleep(2 * SECOND, false, { ref: false })]);
}
