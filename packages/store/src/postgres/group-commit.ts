import { splitOnDataFault } from './data-fault.ts';
import { isConnectionError } from './database.ts';

export interface GroupCommitOptions<In, Out> {
  /** Carries out a batch in one statement; answers in the order of its members. */
  run: (batch: readonly In[]) => Promise<readonly Out[]>;
  /** Two members with the same place never share a batch, nor are in flight at once. Undefined: no such place. */
  placeOf: (member: In) => string | undefined;
  /** Members in one statement. Default 100: beyond that joins among the members themselves cost more than is shared. */
  maxBatch?: number;
  /**
   * Statements at once. Default 1: half of a small statement is what it costs to start it, so that two half full ones cost
   * more than a full one after the other.
   */
  maxInFlight?: number;
  /** Told of each batch before it is carried out: how many members it has. Default: nobody is told. */
  onBatch?: (members: number) => void;
}

export interface GroupCommit<In, Out> {
  submit(member: In): Promise<Out>;
}

interface Waiting<In, Out> {
  member: In;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * Concurrent calls of a process share one multi-row statement. What arrives while statements are in flight
 * gathers for the next. If a statement fails it is tried with fewer and fewer members, so that one bad member does not fail
 * its neighbours; if the server is gone all fail at once.
 */
export function createGroupCommit<In, Out>(options: GroupCommitOptions<In, Out>): GroupCommit<In, Out> {
  const { run, placeOf, maxBatch = 100, maxInFlight = 1, onBatch } = options;
  let queue: Waiting<In, Out>[] = [];
  const busyPlaces = new Set<string>();
  let inFlight = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || inFlight >= maxInFlight || queue.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flush();
    });
  }

  function flush(): void {
    const batch = takeBatch();
    if (batch.length === 0) return;
    inFlight++;
    onBatch?.(batch.length);
    carryOut(batch).finally(() => {
      inFlight--;
      for (const { member } of batch) {
        const place = placeOf(member);
        if (place !== undefined) busyPlaces.delete(place);
      }
      schedule();
    });
    schedule();
  }

  function takeBatch(): Waiting<In, Out>[] {
    const batch: Waiting<In, Out>[] = [];
    const rest: Waiting<In, Out>[] = [];
    for (const waiting of queue) {
      const place = placeOf(waiting.member);
      if (batch.length >= maxBatch || (place !== undefined && busyPlaces.has(place))) {
        rest.push(waiting);
        continue;
      }
      if (place !== undefined) busyPlaces.add(place);
      batch.push(waiting);
    }
    queue = rest;
    return batch;
  }

  async function carryOut(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      await splitOnDataFault(batch, {
        isOfMember: (error) => !isConnectionError(error),
        async write(part) {
          const results = await run(part.map(({ member }) => member));
          for (const [index, waiting] of part.entries()) answer(waiting, results[index]);
        },
        refused: ({ reject }, error) => reject(error),
      });
    } catch (error) {
      // Those that are answered already stay so.
      for (const { reject } of batch) reject(error);
    }
  }

  function answer(waiting: Waiting<In, Out>, result: Out | undefined): void {
    if (result === undefined) waiting.reject(new Error('the statement left a member of its batch unanswered'));
    else waiting.resolve(result);
  }

  return {
    submit(member) {
      return new Promise<Out>((resolve, reject) => {
        queue.push({ member, resolve, reject });
        schedule();
      });
    },
  };
}
