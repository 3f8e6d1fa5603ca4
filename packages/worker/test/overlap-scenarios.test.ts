import { readFileSync } from 'node:fs';
import { MINUTE, type OverlapPolicy, SECOND } from '@escapement/core';
import { describe, expect, it } from 'vitest';
import { type OverlapStage, overlapStage } from './overlap-stage.ts';

/** What other schedulers do when runs overlap, from their own tests and manuals. */
interface Scenario {
  id: string;
  system: string;
  policy: string;
  given: {
    interval?: string;
    durations?: Record<string, string>;
    running?: string;
    cancelTakes?: string;
    waiting?: (number | [number, string])[];
    somethingRunning?: boolean;
    previousRunStillActive?: boolean;
  };
  expect: {
    runs?: { scheduled: string; start: string; end: string }[];
    skipped?: string[];
    events?: string[];
    startNow?: number;
    stillWaiting?: number[];
    overlapSkipped?: number;
    start?: boolean;
  };
}

const scenarios: Scenario[] = JSON.parse(
  readFileSync(new URL('corpora/overlap-scenarios.json', import.meta.url), 'utf8'),
);

/** Their names for our policies. */
const POLICIES: Record<string, OverlapPolicy['policy']> = {
  skip: 'skip',
  'default=skip': 'skip',
  Forbid: 'skip',
  bufferOne: 'wait-one',
  bufferAll: 'wait-all',
  cancelOther: 'replace',
  terminateOther: 'replace',
  Replace: 'replace',
  allowAll: 'allow',
  Allow: 'allow',
};

const NOT_APPLICABLE: Record<string, string> = {
  pauseOnFailure:
    'is about what follows a failure, not about overlap: a task is paused by a person, and a notice tells of the failure',
};

const BASE_MS = Date.UTC(2026, 0, 5);
const stage = await overlapStage();

describe('scenarios of other schedulers', () => {
  for (const scenario of scenarios) {
    const title = `${scenario.id}: ${scenario.system} ${scenario.policy}`;
    const reason = NOT_APPLICABLE[scenario.policy];
    if (reason !== undefined) it.skip(`${title} (${reason})`);
    else it(title, () => play(scenario));
  }
});

async function play(scenario: Scenario): Promise<void> {
  const policy = scenario.policy === 'mixed' ? 'skip' : POLICIES[scenario.policy];
  if (!policy) throw new Error(`no policy of ours is ${scenario.policy}`);
  await stage.save(scenario.id, { policy });
  stage.openAllAfterwards();
  if (scenario.given.waiting) return await playLine(scenario);
  if (scenario.given.previousRunStillActive) return await playForbid(scenario);
  await playTimeline(scenario);
}

const at = (ms: number) => new Date(BASE_MS + ms);

/** Several are due at once, in this order; a number stands for minutes. */
async function playLine({ id, given, expect: expected }: Scenario): Promise<void> {
  const holder = given.somethingRunning ? await stage.due(id, at(0)) : undefined;
  if (holder) expect(await stage.deliver(holder)).toBe('run_started');
  const numbers = new Map<string, number>();
  for (const each of given.waiting ?? []) {
    const [minute, policy] = typeof each === 'number' ? [each, undefined] : each;
    numbers.set(await stage.due(id, at(minute * MINUTE), policy === undefined ? undefined : POLICIES[policy]), minute);
  }
  for (const run of numbers.keys()) await stage.deliver(run);
  const rows = (await stage.rows(id)).filter((row) => row.id !== holder);
  const inState = (state: string) => rows.filter((row) => row.state === state).map((row) => numbers.get(row.id));
  expect(inState('running')).toEqual(expected.startNow === undefined ? [] : [expected.startNow]);
  expect(inState('waiting')).toEqual(expected.stillWaiting);
  if (expected.overlapSkipped !== undefined) expect(inState('skipped')).toHaveLength(expected.overlapSkipped);
  expectNamed(rows);
}

async function playForbid({ id, expect: expected }: Scenario): Promise<void> {
  const holder = await stage.due(id, at(0));
  await stage.deliver(holder);
  const answer = await stage.deliver(await stage.due(id, at(MINUTE)));
  expect(answer === 'run_started').toBe(expected.start);
  // What they count as missed is a row here that names the run in its way.
  expect(await stage.rows(id)).toMatchObject([{ state: 'running' }, { state: 'skipped', blocked_by: holder }]);
}

interface Played {
  scheduledMs: number;
  startMs: number | undefined;
  endMs: number | undefined;
}

/** Occurrences at their times, ends at theirs; at one instant ends come first. */
async function playTimeline(scenario: Scenario): Promise<void> {
  const { id, given, expect: expected } = scenario;
  const runs = new Map<string, Played>();
  const events: string[] = [];
  const waiting = new Set<string>();
  const endOf = (run: Played) => durationOf(scenario, run.scheduledMs) + (run.startMs ?? 0);

  const start = (run: string, nowMs: number) => {
    waiting.delete(run);
    const played = must(runs.get(run));
    played.startMs = nowMs;
    played.endMs = endOf(played);
    events.push(`${clock(nowMs, true)} start scheduled ${clock(played.scheduledMs)}`);
  };
  const endUntil = async (untilMs: number) => {
    for (;;) {
      const atWork = [...runs].filter(([run, { endMs }]) => endMs !== undefined && endMs <= untilMs && !ended.has(run));
      const [run, played] = atWork.sort((a, b) => (a[1].endMs ?? 0) - (b[1].endMs ?? 0))[0] ?? [];
      if (run === undefined) return;
      ended.add(run);
      const next = await stage.end(run, waiting.size > 0);
      if (next !== undefined) start(next, played?.endMs ?? 0);
    }
  };
  const ended = new Set<string>();

  for (const scheduledMs of arrivalsOf(scenario)) {
    await endUntil(scheduledMs);
    const run = await stage.due(id, at(scheduledMs));
    const holder = [...runs].find(([each, { startMs }]) => startMs !== undefined && !ended.has(each));
    runs.set(run, { scheduledMs, startMs: undefined, endMs: undefined });
    const answer = await stage.deliver(run);
    if (answer === 'run_started') start(run, scheduledMs);
    if (answer === 'run_waiting') waiting.add(run);
    if (answer === 'run_waiting' && given.cancelTakes !== undefined && holder) {
      await stage.askedToStop(holder[0]);
      events.push(`${clock(scheduledMs, true)} cancel ${clock(holder[1].scheduledMs)}`);
      holder[1].endMs = scheduledMs + spanMs(given.cancelTakes);
    }
  }
  await endUntil(given.cancelTakes === undefined ? Number.POSITIVE_INFINITY : 24 * 60 * MINUTE);

  if (expected.runs) {
    const started = [...runs.values()].filter(({ startMs }) => startMs !== undefined);
    expect(
      started.map((run) => ({
        scheduled: clock(run.scheduledMs),
        start: clock(run.startMs ?? 0),
        end: clock(run.endMs ?? 0),
      })),
    ).toEqual(expected.runs);
  }
  const rows = await stage.rows(id);
  if (expected.skipped) {
    const skipped = rows
      .filter(({ state }) => state === 'skipped')
      .map((row) => clock(runs.get(row.id)?.scheduledMs ?? 0));
    expect(skipped).toEqual(expected.skipped);
  }
  if (expected.events) expect(events.slice(-expected.events.length)).toEqual(expected.events);
  expectNamed(rows);
}

/** Every skip names the run in its way. */
function expectNamed(rows: Awaited<ReturnType<OverlapStage['rows']>>): void {
  for (const row of rows) if (row.state === 'skipped') expect(row.blocked_by).not.toBeNull();
}

function arrivalsOf({ given, expect: expected }: Scenario): number[] {
  const named = [
    ...Object.keys(given.durations ?? {}),
    ...(expected.runs ?? []).map(({ scheduled }) => scheduled),
    ...(expected.skipped ?? []),
    ...(given.running?.match(/\d\d:\d\d/g) ?? []),
  ];
  return [...new Set(named.map(clockMs))].sort((a, b) => a - b);
}

/** One that is `running` goes on until it is asked to stop. */
function durationOf({ given }: Scenario, scheduledMs: number): number {
  const span = given.durations?.[clock(scheduledMs)];
  if (span !== undefined) return spanMs(span);
  return given.running === undefined ? 0 : Number.POSITIVE_INFINITY;
}

function clockMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE;
}

function clock(ms: number, withSeconds = false): string {
  return at(ms)
    .toISOString()
    .slice(11, withSeconds ? 19 : 16);
}

function spanMs(text: string): number {
  return Number.parseInt(text, 10) * (text.endsWith('s') ? SECOND : MINUTE);
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('unknown run');
  return value;
}
