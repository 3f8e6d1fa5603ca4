import type { Clock } from '@escapement/core';
import { systemTimer, type Timer } from '@escapement/service';
import type { Changes, Topic } from './changes.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import { eventOf, RETRY_MS } from './event-text.ts';
import type { Batch, Feed } from './feed.ts';
import { type Step, withKeepAlive } from './with-keep-alive.ts';

/** What a client is told at most beyond what it has taken; of more it is only told that it has missed something. */
const BUDGET_BYTES = 256 * 1024;

export interface StreamOptions {
  feed: Feed;
  /** The place after which the client wants to hear; null: from now on. */
  after: number | null;
  topics: ReadonlySet<Topic>;
  /** Which tasks it may see; it is asked for each batch. Undefined: all. */
  sees?: (() => Promise<ReadonlySet<string>>) | undefined;
  /** Only runs, and acts on, this task. Undefined: of all. */
  task?: string | undefined;
  /** The client is gone, or the server stops. */
  signal: AbortSignal;
  /** Throws where whoever watches may not any more. */
  renew: () => Promise<void>;
  clock: Clock;
  timer?: Timer;
}

/** Some text of events; in bytes where many clients get the same. */
export type EventPiece = string | Buffer;

/** Events for one client, as text of server-sent events: as much as it takes. One that takes nothing costs its budget and no more. */
export function eventStream(options: StreamOptions): AsyncGenerator<EventPiece> {
  const deadlines = createDeadlines(options);
  return withKeepAlive(stepsOf(options, deadlines), deadlines);
}

async function* stepsOf(options: StreamOptions, deadlines: Deadlines): AsyncGenerator<Step<EventPiece>> {
  const { feed, after, signal, timer = systemTimer } = options;
  const inbox = createInbox(signal, timer);
  const { from, stop } = await feed.listen(inbox.put);
  try {
    const open = eventOf('open', { topics: [...options.topics] }, after ?? from);
    yield { piece: `retry: ${RETRY_MS}\n\n${open}` };
    if (after !== null && after !== from) {
      if (await feed.isKept(after))
        for await (const batch of feed.between(after, from)) yield await stepOf(batch, options);
      else yield resyncAt(from, 'it is too long ago');
    }
    for (let place = from; ; ) {
      const next = await inbox.take(deadlines.leftMs());
      if (next === 'gone') return;
      if (next === 'nothing') {
        yield { piece: null, place };
        continue;
      }
      place = next.id;
      yield next.missed ? resyncAt(place, 'it was not taken in time') : await stepOf(next.batch, options);
    }
  } finally {
    stop();
    inbox.close();
  }
}

type Taken = { id: number; missed: false; batch: Batch } | { id: number; missed: true };

/** What a client has not taken yet. */
function createInbox(signal: AbortSignal, timer: Timer) {
  let waiting: Batch[] = [];
  let bytes = 0;
  let missedUpTo: number | null = null;
  let wake: (() => void) | undefined;
  const woken = () => wake?.();
  signal.addEventListener('abort', woken);

  function next(): Taken | undefined {
    if (missedUpTo !== null) {
      const id = missedUpTo;
      missedUpTo = null;
      return { id, missed: true };
    }
    const batch = waiting.shift();
    if (!batch) return undefined;
    bytes -= sizeOf(batch);
    return { id: batch.id, missed: false, batch };
  }

  return {
    put(batch: Batch): void {
      bytes += sizeOf(batch);
      if (missedUpTo !== null || bytes > BUDGET_BYTES) {
        missedUpTo = batch.id;
        waiting = [];
        bytes = 0;
      } else waiting.push(batch);
      woken();
    },
    /** What comes next; `nothing`: nothing within so long. */
    async take(mostMs: number): Promise<Taken | 'nothing' | 'gone'> {
      let isLate = false;
      const cancel = timer.after(mostMs, () => {
        isLate = true;
        woken();
      });
      try {
        for (;;) {
          if (signal.aborted) return 'gone';
          const taken = next();
          if (taken) return taken;
          if (isLate) return 'nothing';
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        cancel();
      }
    },
    close: () => signal.removeEventListener('abort', woken),
  };
}

/** The same for all who listen. */
const sizes = new WeakMap<Batch, number>();

function sizeOf(batch: Batch): number {
  const size = sizes.get(batch) ?? JSON.stringify(batch.changes).length;
  sizes.set(batch, size);
  return size;
}

/** A batch as somebody may see it. */
async function stepOf(batch: Batch, { topics, sees, task }: StreamOptions): Promise<Step<EventPiece>> {
  const { changes, id } = batch;
  if (changes.missed) return resyncAt(id, 'there was too much to tell');
  const seesAll = sees === undefined && task === undefined;
  const piece = seesAll ? wholeOf(batch, topics) : textOf(cutTo(changes, { seen: await sees?.(), task }), id, topics);
  return { piece: piece.length > 0 ? piece : null, place: id };
}

function resyncAt(place: number, reason: string): Step<EventPiece> {
  return { piece: eventOf('resync', { reason }, place), place };
}

/** A batch for who sees all of it, by what they watch: the bytes are made once, and all sockets send the same ones. */
const wholes = new WeakMap<Batch, Map<string, Buffer>>();

function wholeOf(batch: Batch, topics: ReadonlySet<Topic>): Buffer {
  const made = wholes.get(batch) ?? new Map<string, Buffer>();
  wholes.set(batch, made);
  const watched = [...topics].sort().join();
  const whole = made.get(watched) ?? Buffer.from(textOf(batch.changes, batch.id, topics));
  made.set(watched, whole);
  return whole;
}

function textOf({ runs, actions, ...others }: Changes, id: number, topics: ReadonlySet<Topic>): string {
  const events: string[] = [];
  if (topics.has('runs') && runs.length > 0) events.push(eventOf('runs', runs));
  if (topics.has('actions') && actions.length > 0) events.push(eventOf('actions', actions));
  for (const topic of ['alerts', 'fleet', 'crontabs'] as const)
    if (topics.has(topic) && others[topic]) events.push(eventOf(topic, {}));
  const last = events.pop();
  // Its place stands with the last one: who is cut off before it hears all of them again.
  return last === undefined ? '' : `${events.join('')}id: ${id}\n${last}`;
}

function cutTo(
  changes: Changes,
  { seen, task }: { seen: ReadonlySet<string> | undefined; task: string | undefined },
): Changes {
  const isShown = (name: string) => (seen?.has(name) ?? true) && (task === undefined || task === name);
  return {
    ...changes,
    runs: changes.runs.filter(({ taskName }) => isShown(taskName)),
    // Of what is no task it is not known whose it is.
    actions: changes.actions.filter(
      ({ subject }) => subject.startsWith('task:') && isShown(subject.slice('task:'.length)),
    ),
    // Nor are these of a task.
    fleet: changes.fleet && !seen && task === undefined,
    crontabs: changes.crontabs && !seen && task === undefined,
  };
}
