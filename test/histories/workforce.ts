import { randomUUID } from 'node:crypto';
import { OVERLAP_RULES, type Random, SECOND, type Verdict, waitBounds } from '@escapement/core';
import {
  type BeginResult,
  type BegunRun,
  beginRuns,
  createDefinitions,
  type Database,
  finishRuns,
  lookUpRuns,
  type RunSketch,
  waitRun,
} from '@escapement/store';

/** Runs that end at an instant make room for others, which may end at once as well. */
const MAX_ROUNDS = 30;

const SUCCEEDED: Verdict = { to: 'succeeded', reason: null, lost: false, uncounted: false };
const FAILED: Verdict = { to: 'failed', reason: 'exit code 1', lost: false, uncounted: false };
const LOST: Verdict = {
  to: 'retrying',
  reason: 'lost its worker',
  attemptOutcome: 'lost',
  lost: false,
  uncounted: true,
};

interface Work {
  run: BegunRun;
  slot: number | null;
  endsAt: Date;
}

/** What the workers of a fleet do to its ledger, without the queue between: what is due is begun at once. */
export interface Workforce {
  /** Ends what has worked long enough, and begins what is due. */
  work(now: Date): Promise<void>;
  /** The workers are gone, with what they had in hand. */
  vanish(): void;
  /** What they had in hand is found to be lost. */
  findLost(now: Date): Promise<void>;
}

export function createWorkforce(db: Database, random: Random): Workforce {
  const definitions = createDefinitions(db);
  let active: Work[] = [];
  let lost: Work[] = [];

  async function finish({ run }: Work, verdict: Verdict, fence: bigint | null): Promise<void> {
    const seen = { state: 'running', dispatch: run.dispatch, attempt: run.attempt };
    const { runId, scheduledFor } = run;
    await finishRuns(db, [{ runId, scheduledFor, seen, fence, finishId: randomUUID(), verdict }]);
  }

  async function end(now: Date): Promise<boolean> {
    const over = active.filter(({ endsAt }) => endsAt <= now);
    active = active.filter(({ endsAt }) => endsAt > now);
    for (const work of over) await finish(work, random.next() < 0.9 ? SUCCEEDED : FAILED, work.run.fence);
    return over.length > 0;
  }

  /** False: nothing has come of it. */
  async function take(run: RunSketch, now: Date): Promise<boolean> {
    const { takesSlot } = OVERLAP_RULES[run.overlap];
    const taken = active.filter(({ run: { key } }) => key === run.key).map(({ slot }) => slot);
    const slots = Array.from({ length: run.keyLimit }, (_, index) => index + 1).filter((n) => !taken.includes(n));
    const [slot] = takesSlot ? slots : [null];
    if (slot === undefined || run.behind) return await wait(run);
    const { runId, scheduledFor, key } = run;
    const dispatch = jobOf(run);
    const [result] = await beginRuns(db, [
      { runId, scheduledFor, key, slot, dispatch, beginId: randomUUID(), worker: 'worker-1' },
    ]);
    switch (result?.kind) {
      case 'begun':
        active.push({ run: result.run, slot, endsAt: new Date(now.getTime() + durationMs(random)) });
        return true;
      case 'ended':
        return await refuse(run, result);
      case 'busy':
        return await wait(run);
      default:
        return false;
    }
  }

  async function wait(run: RunSketch): Promise<boolean> {
    const { definition } = await definitions.get(run.taskId, run.taskVersion);
    const bounds = run.attempt > 0 ? {} : waitBounds(run.overlap, definition.overlap);
    const { runId, scheduledFor } = run;
    const answer = await waitRun(db, { ...bounds, runId, scheduledFor, seen: run, dispatch: jobOf(run) });
    return answer.kind === 'refused' ? await refuse(run, answer.end) : answer.kind !== 'stale';
  }

  async function refuse(
    { runId, scheduledFor }: RunSketch,
    end: Extract<BeginResult, { kind: 'ended' }>,
  ): Promise<true> {
    const { seen, state: to, reason } = end;
    const verdict = { to, reason, lost: false, uncounted: false };
    await finishRuns(db, [{ runId, scheduledFor, seen, fence: null, finishId: randomUUID(), verdict }]);
    return true;
  }

  async function begin(now: Date): Promise<boolean> {
    const { rows } = await db.pool.query<{ id: string; scheduled_for: Date }>(
      `SELECT id, scheduled_for FROM run WHERE namespace = $1 AND state IN ('planned', 'queued', 'retrying') AND due_at <= now()
       ORDER BY due_at LIMIT 200`,
      [db.namespace],
    );
    let moved = false;
    for (const { id: runId, scheduled_for: scheduledFor } of rows) {
      const [run] = await lookUpRuns(db, [{ runId, scheduledFor }]);
      if (!run || run.misfired) continue;
      if (await take(run, now)) moved = true;
    }
    return moved;
  }

  return {
    async work(now) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const ended = await end(now);
        const begun = await begin(now);
        if (!ended && !begun) return;
      }
    },
    vanish() {
      lost.push(...active);
      active = [];
    },
    async findLost(now) {
      for (const work of lost) await finish(work, { ...LOST, retryAt: now }, null);
      lost = [];
    },
  };
}

/** The dispatch number of its job, or of the one that it would have next. */
function jobOf({ state, dispatch }: RunSketch): number {
  return state === 'queued' ? dispatch : dispatch + 1;
}

/** Many are over at once, some outlast the next occurrences. */
function durationMs(random: Random): number {
  return random.next() < 0.6 ? 50 : Math.floor(random.next() * 8 * SECOND);
}
