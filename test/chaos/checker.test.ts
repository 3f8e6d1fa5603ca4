import { newRunId, SECOND } from '@escapement/core';
import { paceOf } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { addMove, healthyEvidence, LOST, moveOf, runAt, SKIPPED } from './checker/healthy.ts';
import { checkAll, INVARIANTS } from './checker/index.ts';
import type { Evidence, Rate } from './evidence.ts';

/** The invariants that break when one thing is spoilt. */
function brokenBy(spoil: (evidence: Evidence) => void): string[] {
  const evidence = healthyEvidence();
  spoil(evidence);
  return checkAll(evidence)
    .filter(({ violations }) => violations.length > 0)
    .map(({ invariant }) => invariant.id);
}

/** A checker that was never red proves nothing: each of these must break just what it names. */
const CONTROLS: { spoilt: string; breaks: string[]; spoil(evidence: Evidence): void }[] = [
  { spoilt: 'nothing', breaks: [], spoil: () => undefined },
  {
    spoilt: 'an occurrence has two rows',
    breaks: ['I1'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 3);
      const twin = { ...run, id: newRunId(new Date(run.scheduledForMs)), state: 'cancelled' as const, attempt: 0 };
      evidence.runs.push(twin);
      evidence.moves.push({ ...moveOf(evidence, run, 'planned'), runId: twin.id, to: 'cancelled' });
    },
  },
  {
    spoilt: 'an occurrence is in a row and in a stretch',
    breaks: ['I1', 'I2', 'I2b'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 3);
      const untilMs = runAt(evidence, 'mail', 5).scheduledForMs;
      evidence.moves = evidence.moves.filter((move) => move.runId !== run.id);
      evidence.calls = evidence.calls.filter((call) => call.runId !== run.id);
      Object.assign(run, { untilMs, occurrences: 2, state: 'missed', reason: 'x', attempt: 0 });
      addMove(evidence, run, { to: 'missed', atMs: run.dueMs, reason: 'x' });
    },
  },
  {
    spoilt: 'an occurrence is in no row',
    breaks: ['I2'],
    spoil: (evidence) => erase(evidence, 'mail', 7),
  },
  {
    spoilt: 'the newest occurrences are in no row long after they were due',
    breaks: ['I2'],
    spoil(evidence) {
      for (const index of [15, 14, 13, 12, 11, 10]) erase(evidence, 'mail', index);
    },
  },
  {
    spoilt: 'a row is at an instant that is no occurrence',
    breaks: ['I2'],
    spoil(evidence) {
      runAt(evidence, 'mail', 7).scheduledForMs += 1;
      evidence.tasks[1] = { ...taskAt(evidence, 1), dueAt: withoutThe(7, evidence) };
    },
  },
  {
    spoilt: 'an occurrence is missed',
    breaks: ['I2b'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 13);
      addMove(evidence, run, { to: 'missed', atMs: run.dueMs, reason: 'nobody planned it' });
    },
  },
  {
    spoilt: 'a start has the fence of the one before it',
    breaks: ['I3'],
    spoil(evidence) {
      const [before, run] = [runAt(evidence, 'mail', 5), runAt(evidence, 'mail', 6)];
      refence(evidence, run.id, moveOf(evidence, before, 'running').fence ?? 0);
    },
  },
  {
    spoilt: 'a result is committed after its successor has begun',
    breaks: ['I3'],
    spoil(evidence) {
      const late = moveOf(evidence, runAt(evidence, 'mail', 5), 'succeeded');
      const successor = moveOf(evidence, runAt(evidence, 'mail', 6), 'running');
      evidence.moves.splice(evidence.moves.indexOf(late), 1);
      evidence.moves.splice(evidence.moves.indexOf(successor) + 1, 0, late);
    },
  },
  {
    spoilt: 'a run ends twice',
    breaks: ['I4'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 2);
      addMove(evidence, run, { to: 'succeeded', atMs: moveOf(evidence, run, 'succeeded').atMs + 1, slot: null });
    },
  },
  {
    spoilt: 'the row of a run is not what its last write made it',
    breaks: ['I4'],
    spoil: (evidence) => Object.assign(runAt(evidence, 'mail', 14), { state: 'planned' }),
  },
  {
    spoilt: 'a run makes an illegal move',
    breaks: ['I4'],
    spoil: (evidence) => Object.assign(moveOf(evidence, runAt(evidence, 'mail', 14), 'queued'), { from: 'unknown' }),
  },
  {
    spoilt: 'a run ends otherwise than its task does',
    breaks: ['I4b'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 2);
      Object.assign(moveOf(evidence, run, 'succeeded'), { to: 'failed', reason: 'no' });
      run.state = 'failed';
    },
  },
  {
    spoilt: 'two handlers of a key are at work, though neither had lost its lease',
    breaks: ['I5'],
    spoil: (evidence) => recall(evidence, 5, { endMs: callOf(evidence, runAt(evidence, 'mail', 6).id).startMs + 1 }),
  },
  {
    spoilt: 'a handler goes on beside its successor for longer than the abort bound',
    breaks: ['I5'],
    spoil(evidence) {
      const [lost, again] = evidence.calls.filter(({ runId }) => runId === runAt(evidence, 'report', LOST).id);
      if (!lost || !again) throw new Error('it was not tried again');
      for (const call of [lost, again]) call.endMs = again.startMs + 5 * SECOND + 1;
    },
  },
  {
    spoilt: 'a skip names nobody',
    breaks: ['I5b'],
    spoil: (evidence) => Object.assign(runAt(evidence, 'report', SKIPPED), { blockedBy: null }),
  },
  {
    spoilt: 'a skip names a run that had long ended',
    breaks: ['I5b'],
    spoil: (evidence) =>
      Object.assign(runAt(evidence, 'report', SKIPPED), { blockedBy: runAt(evidence, 'report', LOST - 1).id }),
  },
  {
    spoilt: 'a skip names a run of another key',
    breaks: ['I5b'],
    spoil: (evidence) =>
      Object.assign(runAt(evidence, 'report', SKIPPED), { blockedBy: runAt(evidence, 'mail', LOST).id }),
  },
  {
    spoilt: 'a run begins 6 s late without a fault',
    breaks: ['I6'],
    spoil: (evidence) => begins(evidence, 9, 6 * SECOND),
  },
  {
    spoilt: 'a run is never begun',
    breaks: ['I6', 'I9'],
    spoil: (evidence) => neverBegins(evidence, 9),
  },
  {
    spoilt: 'a success was not done',
    breaks: ['I6b'],
    spoil: (evidence) => recall(evidence, 9, { outcome: 'cut' }),
  },
  {
    spoilt: 'a success was done under another fence',
    breaks: ['I6b'],
    spoil: (evidence) => recall(evidence, 9, { fence: 8 }),
  },
  {
    spoilt: 'an attempt was at work twice',
    breaks: ['I6b'],
    spoil(evidence) {
      const call = callOf(evidence, runAt(evidence, 'mail', 9).id);
      evidence.calls.push({ ...call, startMs: call.startMs + 2 * SECOND, endMs: call.startMs + 2 * SECOND });
    },
  },
  {
    spoilt: 'a run begins a millisecond early',
    breaks: ['I7'],
    spoil: (evidence) => begins(evidence, 9, -1),
  },
  {
    spoilt: 'a run is still running after the stop',
    breaks: ['I4', 'I9'],
    spoil: (evidence) => Object.assign(runAt(evidence, 'mail', 12), { state: 'running' }),
  },
  {
    spoilt: "a killed worker's run is never found",
    breaks: ['I6b', 'I9', 'I9b'],
    spoil(evidence) {
      const run = runAt(evidence, 'report', LOST);
      const from = moveOf(evidence, run, 'retrying').seq;
      evidence.moves = evidence.moves.filter(({ runId, seq }) => runId !== run.id || seq < from);
      Object.assign(run, { state: 'running', attempt: 1 });
    },
  },
  {
    spoilt: "a killed worker's run is found 6 s after its lease",
    breaks: ['I9b'],
    spoil(evidence) {
      for (const move of evidence.moves.filter(({ runId }) => runId === runAt(evidence, 'report', LOST).id))
        if (move.attempt > 1 || move.to === 'retrying') {
          move.atMs += 5 * SECOND;
          move.dueMs += 5 * SECOND;
          move.startedMs = move.startedMs === null ? null : move.startedMs + 5 * SECOND;
        }
    },
  },
  {
    spoilt: "a killed worker's run is retried for another reason",
    breaks: ['I9b'],
    spoil: (evidence) =>
      Object.assign(moveOf(evidence, runAt(evidence, 'report', LOST), 'retrying'), { reason: 'a whim' }),
  },
  {
    spoilt: 'a killed worker held nothing',
    breaks: ['I9b'],
    spoil: (evidence) => void evidence.faults[0]?.killed?.runs.pop(),
  },
  {
    spoilt: 'a process that was asked to stop exits with 1',
    breaks: ['I11a'],
    spoil: (evidence) => Object.assign(evidence.members[0] ?? {}, { code: 1 }),
  },
  {
    spoilt: 'a process takes 9 s to stop, with 3 s of grace',
    breaks: ['I11a'],
    spoil: (evidence) => Object.assign(evidence.members[0] ?? {}, { stopMs: 9 * SECOND }),
  },
  {
    spoilt: 'a process ends by itself',
    breaks: ['I11a'],
    spoil: (evidence) => Object.assign(evidence.members[0] ?? {}, { end: 'by itself' }),
  },
  {
    spoilt: 'a process writes 11 warnings within a second',
    breaks: ['I11b'],
    spoil: ({ members }) =>
      void members[1]?.log.push(
        ...Array.from({ length: 11 }, (_, index) => ({ atMs: index * 99, level: 'warn' as const, message: 'again' })),
      ),
  },
  {
    spoilt: 'the row of a run begins the same attempt twice',
    breaks: ['I8'],
    spoil(evidence) {
      const begun = moveOf(evidence, runAt(evidence, 'mail', 3), 'running');
      const again = { ...begun, fence: (begun.fence ?? 0) + 0.5 };
      evidence.moves.splice(evidence.moves.indexOf(begun) + 1, 0, again);
      refence(evidence, begun.runId, again.fence);
      Object.assign(begun, { slot: null });
    },
  },
  {
    spoilt: 'a run begins before an earlier one of its key that is due',
    breaks: ['I13'],
    spoil(evidence) {
      evidence.tasks[1] = { ...taskAt(evidence, 1), inOrder: true };
      const [first, second] = [runAt(evidence, 'mail', 3), runAt(evidence, 'mail', 4)];
      const dueMs = first.dueMs + SECOND;
      for (const it of [second, ...evidence.moves.filter(({ runId }) => runId === second.id)]) it.dueMs = dueMs;
      begins(evidence, 3, 4.9 * SECOND);
      begins(evidence, 4, 1 * SECOND);
      refence(evidence, second.id, 3);
      refence(evidence, first.id, 4);
      const startMs = dueMs + 1.1 * SECOND;
      recall(evidence, 4, { startMs, endMs: startMs + 100 });
      recall(evidence, 3, { startMs: startMs + 3 * SECOND, endMs: startMs + 3.1 * SECOND });
      inTime(evidence);
    },
  },
  {
    spoilt: 'a rate lets one start too many',
    breaks: ['R1'],
    spoil: (evidence) => rates(evidence, { key: 'mail', limit: 2, perMs: 10 * SECOND + 1 }),
  },
  {
    spoilt: 'a run that waits for a token is passed by a later one',
    breaks: ['R2'],
    spoil(evidence) {
      rates(evidence, { key: 'mail', limit: 3, perMs: 10 * SECOND });
      waitsUntil(evidence, 6, 7 * SECOND);
      begins(evidence, 6, 7.1 * SECOND);
      const startMs = runAt(evidence, 'mail', 6).dueMs + 7.2 * SECOND;
      recall(evidence, 6, { startMs, endMs: startMs + 100 });
      const fences = [6, 7].map((index) => callOf(evidence, runAt(evidence, 'mail', index).id).fence);
      for (const [place, index] of [7, 6].entries())
        refence(evidence, runAt(evidence, 'mail', index).id, fences[place] ?? 0);
      inTime(evidence);
    },
  },
  {
    spoilt: 'a run waits for a token for ever',
    breaks: ['R2', 'R3'],
    spoil(evidence) {
      rates(evidence, { key: 'mail', limit: 3, perMs: 2 * SECOND });
      neverBegins(evidence, 6);
      waitsUntil(evidence, 6, Number.POSITIVE_INFINITY);
      inTime(evidence);
    },
  },
  {
    spoilt: 'what must be done at most once is done again',
    breaks: ['I6b', 'I12b'],
    spoil(evidence) {
      evidence.tasks[1] = { ...taskAt(evidence, 1), atMostOnce: true };
      const call = callOf(evidence, runAt(evidence, 'mail', 9).id);
      evidence.calls.push({
        ...call,
        fence: call.fence + 0.5,
        startMs: call.startMs + 900,
        endMs: call.startMs + 1000,
      });
    },
  },
  {
    spoilt: 'a fault is not recovered from',
    breaks: ['I9c'],
    spoil: (evidence) => Object.assign(evidence.faults[0] ?? {}, { recoveredMs: null }),
  },
  {
    spoilt: 'a fault is recovered from a second too late',
    breaks: ['I9c'],
    spoil({ faults: [fault], leaseMs }) {
      if (fault) fault.recoveredMs = fault.healedMs + leaseMs + 6 * SECOND;
    },
  },
  {
    spoilt: 'others start late beside a task that floods its log',
    breaks: ['I10'],
    spoil(evidence) {
      for (const index of [9, 10, 11, 12, 13, 14, 15]) begins(evidence, index, 1 * SECOND);
      const fromMs = runAt(evidence, 'mail', 9).dueMs + 500;
      const window = { fromMs, healedMs: fromMs + SECOND, excusedMs: fromMs, recoveredMs: fromMs + SECOND, detail: '' };
      evidence.faults.push({ name: 'run that floods its log', ...window });
    },
  },
  {
    spoilt: 'a run that Redis forgot is missed for it',
    breaks: ['I2b', 'I14'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 9);
      neverBegins(evidence, 9);
      Object.assign(run, { state: 'missed', reason: 'x' });
      addMove(evidence, run, { to: 'missed', atMs: run.dueMs + SECOND, reason: 'x' });
      const window = { fromMs: run.dueMs - SECOND, healedMs: run.dueMs - SECOND, recoveredMs: run.dueMs, detail: '' };
      evidence.faults.push({ name: 'Redis flushed', ...window, forgotten: [run.id] });
    },
  },
  {
    spoilt: 'a run that Redis forgot never comes back',
    breaks: ['I6', 'I9', 'I14'],
    spoil(evidence) {
      const run = runAt(evidence, 'mail', 9);
      neverBegins(evidence, 9);
      const window = { fromMs: run.dueMs - SECOND, healedMs: run.dueMs - SECOND, recoveredMs: run.dueMs, detail: '' };
      evidence.faults.push({ name: 'Redis flushed', ...window, forgotten: [run.id] });
    },
  },
  {
    spoilt: 'a fault could not be injected',
    breaks: ['F'],
    spoil: (evidence) => Object.assign(evidence.faults[0] ?? {}, { failed: 'there was nobody to kill' }),
  },
  {
    spoilt: 'a process has 600 MB',
    breaks: ['I11c'],
    spoil: (evidence) => Object.assign(evidence.members[0] ?? {}, { mostMemoryMb: 600 }),
  },
  {
    spoilt: 'what should follow the runs of a task does not',
    breaks: ['I15'],
    spoil(evidence) {
      evidence.tasks[1] = { ...taskAt(evidence, 1), followedBy: 'report' };
    },
  },
  {
    spoilt: 'a run follows one of a task that nothing is to follow',
    breaks: ['I15'],
    spoil: (evidence) => Object.assign(runAt(evidence, 'report', 3), { causeId: runAt(evidence, 'mail', 2).id }),
  },
  {
    spoilt: 'a run has more attempts than its policy allows',
    breaks: ['I12'],
    spoil: (evidence) => Object.assign(runAt(evidence, 'report', LOST), { uncounted: 0 }),
  },
];

const spoilAs = (spoilt: string) => CONTROLS.find((control) => control.spoilt === spoilt)?.spoil ?? (() => undefined);

/** What is late by more than its bound, on a machine at rest. */
const LATE: [string, (evidence: Evidence) => void][] = [
  'a run begins 6 s late without a fault',
  "a killed worker's run is found 6 s after its lease",
  'a fault is recovered from a second too late',
  'others start late beside a task that floods its log',
].map((spoilt) => [spoilt, spoilAs(spoilt)]);

test.each(LATE)('on a machine that gives a quarter of what is asked it is no fault that %s', (_, spoil) => {
  expect(brokenBy(spoil)).toHaveLength(1);
  expect(brokenBy((evidence) => spoil(slowed(evidence, 4)))).toEqual([]);
});

test('a run whose end was being committed when Redis forgot it was not forgotten', () => {
  const broken = brokenBy((evidence) => {
    const run = runAt(evidence, 'mail', 9);
    const fromMs = Math.max(...evidence.moves.flatMap((move) => (move.runId === run.id ? [move.atMs] : []))) + SECOND;
    const window = { fromMs, healedMs: fromMs, recoveredMs: fromMs + SECOND, detail: '' };
    evidence.faults.push({ name: 'Redis flushed', ...window, forgotten: [run.id] });
  });
  expect(broken).toEqual([]);
});

/** What says how late something may be, or what must have happened by then. */
const STRETCHED = new Set(['I6', 'I9', 'I9b', 'I9c', 'I10', 'I14', 'I15']);
const NEVER_EXCUSED = CONTROLS.map(({ breaks, ...control }) => ({
  ...control,
  breaks: breaks.filter((id) => !STRETCHED.has(id)),
})).filter(({ breaks }) => breaks.length > 0);

test.each(NEVER_EXCUSED)('no load of the machine excuses that $spoilt -> $breaks', ({ spoil, breaks }) => {
  expect(brokenBy((evidence) => spoil(slowed(evidence, 4)))).toEqual(expect.arrayContaining(breaks));
});

test('what takes longer than such a machine explains is a fault there, too', () => {
  expect(brokenBy((evidence) => begins(slowed(evidence, 2), 9, 11 * SECOND))).toEqual(['I6']);
  expect(brokenBy((evidence) => neverBegins(slowed(evidence, 4), 6))).toContain('I6');
});

test.each(CONTROLS)('$spoilt -> $breaks', ({ spoil, breaks }) => {
  expect(brokenBy(spoil)).toEqual(breaks);
});

test('each invariant was red once', () => {
  const red = new Set(CONTROLS.flatMap(({ breaks }) => breaks));
  expect(INVARIANTS.map(({ id }) => id).filter((id) => !red.has(id))).toEqual([]);
});

/** Each bit of work takes so many times as long as it should, from the first occurrence to the stop. */
function slowed(evidence: Evidence, times: number): Evidence {
  const [first, everyMs, workMs] = [evidence.runs[0]?.scheduledForMs ?? 0, 200, 10];
  const turns = Array.from(
    { length: Math.ceil((evidence.workersStopMs + 60 * SECOND - first) / everyMs) },
    (_, turn) => {
      const dueMs = first - 10 * SECOND + turn * everyMs;
      return { dueMs, doneMs: dueMs + times * workMs, cpuMs: workMs };
    },
  );
  evidence.pace = paceOf(turns);
  return evidence;
}

function erase(evidence: Evidence, task: string, index: number): void {
  const { id } = runAt(evidence, task, index);
  evidence.runs = evidence.runs.filter((run) => run.id !== id);
  evidence.moves = evidence.moves.filter(({ runId }) => runId !== id);
  evidence.calls = evidence.calls.filter(({ runId }) => runId !== id);
}

/** Leaves an occurrence of task `mail` in the queue. */
function neverBegins(evidence: Evidence, index: number): void {
  const run = runAt(evidence, 'mail', index);
  evidence.moves = evidence.moves.filter(({ runId, to }) => runId !== run.id || to === 'planned' || to === 'queued');
  evidence.calls = evidence.calls.filter((call) => call.runId !== run.id);
  Object.assign(run, { state: 'queued', attempt: 0 });
}

function taskAt(evidence: Evidence, index: number): Evidence['tasks'][number] {
  const task = evidence.tasks[index];
  if (!task) throw new Error(`there is no task ${index}`);
  return task;
}

/** The due times of task `mail` but for one. */
function withoutThe(index: number, evidence: Evidence): Evidence['tasks'][number]['dueAt'] {
  const { dueAt, effectiveMs } = taskAt(evidence, 1);
  const left = effectiveMs - 1 + index * 5 * SECOND;
  return (fromMs, toMs) => dueAt(fromMs, toMs).filter((ms) => ms !== left);
}

function callOf(evidence: Evidence, runId: string): Evidence['calls'][number] {
  const call = evidence.calls.find((each) => each.runId === runId);
  if (!call) throw new Error(`run ${runId} was never at work`);
  return call;
}

/** Changes what the target saw of an occurrence of task `mail`. */
function recall(evidence: Evidence, index: number, changes: Partial<Evidence['calls'][number]>): void {
  Object.assign(callOf(evidence, runAt(evidence, 'mail', index).id), changes);
}

function rates(evidence: Evidence, rate: Rate): void {
  evidence.tasks[1] = { ...taskAt(evidence, 1), rate };
}

/** An occurrence of task `mail` waits from its due time on, until it is woken or for ever. */
function waitsUntil(evidence: Evidence, index: number, lateMs: number): void {
  const run = runAt(evidence, 'mail', index);
  const queued = moveOf(evidence, run, 'queued');
  const reason = 'over the rate';
  evidence.moves.push({ ...queued, from: 'queued', to: 'waiting', atMs: run.dueMs + 5, reason });
  if (lateMs === Number.POSITIVE_INFINITY) run.state = 'waiting';
  else evidence.moves.push({ ...queued, from: 'waiting', to: 'queued', atMs: run.dueMs + lateMs });
}

/** Numbers the moves by their times. */
function inTime({ moves }: Evidence): void {
  moves.sort((one, other) => one.atMs - other.atMs);
  for (const [index, move] of moves.entries()) move.seq = index + 1;
}

function refence(evidence: Evidence, runId: string, fence: number): void {
  for (const move of evidence.moves) if (move.runId === runId && move.fence !== null) move.fence = fence;
  callOf(evidence, runId).fence = fence;
}

/** Shifts an attempt of task `mail`, from its start to its end. */
function begins(evidence: Evidence, index: number, lateMs: number): void {
  const run = runAt(evidence, 'mail', index);
  for (const move of evidence.moves.filter(({ runId, startedMs }) => runId === run.id && startedMs !== null)) {
    const shiftMs = run.dueMs + lateMs - (move.startedMs ?? 0);
    move.atMs += shiftMs;
    move.startedMs = run.dueMs + lateMs;
  }
}

test('the evidence of a fault at full size, 150,000 runs due at once, is judged as well', () => {
  const evidence = healthyEvidence();
  const model = runAt(evidence, 'mail', 3);
  const moves = evidence.moves.filter(({ runId }) => runId === model.id);
  const calls = evidence.calls.filter(({ runId }) => runId === model.id);
  evidence.tasks.push({ ...taskAt(evidence, 1), name: 'burst', key: 'burst', allowsOverlap: true, dueAt: () => [] });
  for (let copy = 0; copy < 150_000; copy++) {
    const own = { runId: newRunId(new Date(model.scheduledForMs)), key: `burst-${copy}` };
    evidence.runs.push({ ...model, id: own.runId, task: 'burst', key: own.key, origin: 'trigger' });
    for (const move of moves) evidence.moves.push({ ...move, ...own });
    for (const call of calls) evidence.calls.push({ ...call, runId: own.runId, task: 'burst' });
  }
  evidence.moves.sort((a, b) => a.atMs - b.atMs);
  for (const [index, move] of evidence.moves.entries()) move.seq = index + 1;
  expect(checkAll(evidence).flatMap(({ violations }) => violations.slice(0, 3))).toEqual([]);
});
