import { groupedBy, SECOND } from '@escapement/core';
import type { Evidence, FaultWindow, LogLine, MemberRecord, Move } from '../evidence.ts';
import { deadline, excusedUntil } from './deadline.ts';
import { largest } from './extremes.ts';
import type { Invariant } from './invariant.ts';

const EXIT_AFTER_GRACE_MS = 5 * SECOND;
const MAX_LINES = 10;

export const graceful: Invariant = {
  id: 'I11a',
  title: 'whoever is asked to stop exits with 0 within its grace time + 5 s; nobody ends by itself',
  check({ members }) {
    const stopped = members.filter(({ end }) => end === 'stopped');
    const slowest = largest(
      0,
      stopped.map(({ stopMs }) => stopMs ?? 0),
    );
    const killed = members.filter(({ end }) => end === 'killed').length;
    return {
      figures: `${stopped.length} stopped, the slowest in ${(slowest / SECOND).toFixed(1)} s; ${killed} killed`,
      violations: members.flatMap(wrongExit),
    };
  },
};

function wrongExit({ name, end, code, signal, stopMs, graceMs }: MemberRecord): string[] {
  if (end === 'killed') return [];
  const how = `${name} ended ${end} with ${signal ?? code}`;
  if (end === 'by itself' || code !== 0) return [how];
  return (stopMs ?? 0) > graceMs + EXIT_AFTER_GRACE_MS
    ? [`${how} after ${stopMs} ms, its grace time is ${graceMs} ms`]
    : [];
}

export const quietLogs: Invariant = {
  id: 'I11b',
  title: 'a process writes at most 10 warnings and errors in any second',
  check({ members }) {
    const most = members.map((member) => ({ member, lines: busiestSecond(member.log) }));
    const total = members.reduce((sum, { log }) => sum + log.filter(isTrouble).length, 0);
    return {
      figures: `${total} in all, at most ${largest(
        0,
        most.map(({ lines }) => lines),
      )} in a second`,
      violations: most
        .filter(({ lines }) => lines > MAX_LINES)
        .map(({ member, lines }) => `${member.name} wrote ${lines} in a second`),
    };
  },
};

export function isTrouble({ level }: LogLine): boolean {
  return level === 'warn' || level === 'error' || level === 'fatal';
}

function busiestSecond(log: readonly LogLine[]): number {
  const times = log.filter(isTrouble).map(({ atMs }) => atMs);
  return largest(
    0,
    times.map((fromMs) => times.filter((ms) => ms >= fromMs && ms < fromMs + SECOND).length),
  );
}

/**
 * What a killed worker held is declared lost, naming it, within the lease time + 5 s, and tried again or ended for
 * that reason. A commit that was on its way when the worker died may still arrive, before that.
 */
export const lossesFound: Invariant = {
  id: 'I9b',
  title: "a killed worker's runs are retried, or ended with that reason",
  check(evidence) {
    const history = groupedBy(evidence.moves, (move) => move.runId);
    const fates = evidence.faults.flatMap(({ killed }) => {
      if (!killed) return [];
      return killed.runs.map((runId) => ({ runId, ...fateOf(killed.worker, history.get(runId) ?? []) }));
    });
    const lost = fates.filter(({ fate }) => fate === 'lost').length;
    const missed = evidence.faults.flatMap((fault) => tooLate(fault, history, evidence));
    const bites = evidence.faults.some(({ killed }) => killed) && lost === 0;
    return {
      figures: `${fates.length} held, ${lost} lost and found`,
      violations: [
        ...fates.filter(({ fate }) => fate === 'wrong').map(({ runId, how }) => `run ${runId}: ${how}`),
        ...missed,
        ...(bites ? ['the killed workers held nothing that was lost: the fault proved nothing'] : []),
      ],
    };
  },
};

function endOfHold(worker: string, moves: readonly Move[]): Move | undefined {
  const begun = moves.findLastIndex((move) => move.to === 'running' && move.worker === worker);
  return moves.slice(begun + 1)[0];
}

function fateOf(worker: string, moves: readonly Move[]): { fate: 'lost' | 'committed' | 'wrong'; how: string } {
  const next = endOfHold(worker, moves);
  if (!next) return { fate: 'wrong', how: `still held by ${worker}, who is dead` };
  const isLost = next.reason?.includes(worker) || /when its worker vanished/.test(next.reason ?? '');
  if (isLost && next.reason) return { fate: 'lost', how: next.reason };
  if (next.to === 'succeeded') return { fate: 'committed', how: 'its commit was on its way' };
  return { fate: 'wrong', how: `became ${next.to}: ${next.reason}` };
}

function tooLate(fault: FaultWindow, history: ReadonlyMap<string, Move[]>, evidence: Evidence): string[] {
  const { killed } = fault;
  if (!killed) return [];
  const byMs = deadline(excusedUntil(fault), evidence);
  return killed.runs.flatMap((runId) => {
    const end = endOfHold(killed.worker, history.get(runId) ?? []);
    return end && end.atMs > byMs ? [`run ${runId}: its loss was found ${end.atMs - byMs} ms too late`] : [];
  });
}

/** What a scheduler or worker may come to have; at rest it has about 110 MB. */
const MAX_MEMORY_MB = 512;

export const boundedMemory: Invariant = {
  id: 'I11c',
  title: 'no process grows beyond 512 MB',
  check({ members }) {
    const most = largest(
      0,
      members.map(({ mostMemoryMb }) => mostMemoryMb ?? 0),
    );
    return {
      figures: `at most ${most} MB`,
      violations: members
        .filter(({ mostMemoryMb }) => (mostMemoryMb ?? 0) > MAX_MEMORY_MB)
        .map(({ name, mostMemoryMb }) => `${name} had ${mostMemoryMb} MB`),
    };
  },
};
