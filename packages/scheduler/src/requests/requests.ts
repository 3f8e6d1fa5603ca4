import { EscapementError, MINUTE, SECOND } from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import {
  answerRequest,
  type Database,
  isDataFault,
  isPassingError,
  type RequestResult,
  type TakenRequest,
  takeRequests,
} from '@escapement/store';
import { NO_PROBES, type Probes } from '../probes.ts';
import { carryOut, type RequestMeans } from './carry-out.ts';
import { carryOutJob } from './carry-out-job.ts';

/** Who asks wakes the schedulers: this is for hints that were lost. */
const WAIT_MS = 2 * SECOND;
/** Requests carried out at once. */
const BATCH = 10;
/** Longer than any request takes: another scheduler may have died with it. */
const GONE_MS = 2 * MINUTE;
/** The same for a chunk of one that takes long. Two schedulers at the same chunk do no harm. */
const CHUNK_GONE_MS = 15 * SECOND;

export interface RequestsOptions extends RequestMeans, JobsOptions {}

/** What a scheduler needs to carry out jobs. */
export interface JobsOptions {
  db: Database;
  /** This scheduler's process id. */
  processId: string;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  onError: (error: unknown) => void;
}

/** Which requests a loop takes, and how it carries them out. */
interface RequestKind {
  name: string;
  jobs: boolean;
  /** Carried out at once. */
  atOnce: number;
  /** Null: there is more to do; `later`: but not at once. */
  carryOut: (taken: TakenRequest) => Promise<unknown>;
}

/**
 * Carries out what people and programs ask of Redis, which they do not speak to themselves, and bulk actions, a chunk a pass; and
 * answers.
 */
export function createRequests(options: RequestsOptions): Loop {
  const { processId } = options;
  return createRequestLoop(options, {
    name: 'requests',
    jobs: false,
    atOnce: BATCH,
    carryOut: (taken) => carryOut(taken, processId, options),
  });
}

/** Carries out requests that take long, one at a time: those that are answered at once do not wait for them. */
export function createJobs(options: JobsOptions): Loop {
  return createRequestLoop(options, {
    name: 'jobs',
    jobs: true,
    atOnce: 1,
    carryOut: (taken) => carryOutJob(options.db, taken, options.processId),
  });
}

function createRequestLoop(options: JobsOptions, { name, jobs, atOnce, carryOut }: RequestKind): Loop {
  const { db, processId, probes = NO_PROBES, onError } = options;

  /** Returns whether there is more to do at once. */
  async function goOn(taken: TakenRequest): Promise<boolean> {
    const result = await resultOf(taken);
    if (result === null || result === 'later') return result === null;
    await answer(taken.id, result);
    return false;
  }

  /** An answer that Postgres refuses is one that says so: without any, the request would be carried out again. */
  async function answer(id: string, result: RequestResult): Promise<void> {
    try {
      await answerRequest(db, id, processId, result);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      onError(error);
      await answerRequest(db, id, processId, { error: failed(error) });
    }
  }

  async function resultOf(taken: TakenRequest): Promise<RequestResult | 'later' | null> {
    try {
      const answer = await carryOut(taken);
      return answer === null || answer === 'later' ? answer : { answer };
    } catch (thrown) {
      if (thrown instanceof EscapementError) return { error: thrown };
      onError(thrown);
      // What is done in chunks goes on where it stands, once whoever had it is taken for gone.
      if (taken.progress !== null && isPassingError(thrown)) return null;
      return { error: failed(thrown) };
    }
  }

  async function runOnce(): Promise<number> {
    if (!(await probes.see('requests'))) return WAIT_MS;
    const taking = { taker: processId, goneMs: GONE_MS, chunkGoneMs: CHUNK_GONE_MS, limit: atOnce, jobs };
    const requests = await takeRequests(db, taking);
    const unfinished = await Promise.all(requests.map(goOn));
    return requests.length === atOnce || unfinished.includes(true) ? 0 : WAIT_MS;
  }

  return createLoop({ name, runOnce, onError, minWaitMs: 10 });
}

function failed(thrown: unknown): EscapementError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new EscapementError('request_failed', message, { fix: 'see the log of the schedulers' });
}
