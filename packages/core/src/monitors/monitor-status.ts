import { MINUTE, SECOND } from '../clock.ts';
import { nextFire } from '../schedule/next-fire.ts';
import { parseSchedule } from '../schedule/parse.ts';
import type { PingKind, Signal } from './signal.ts';
import type { MonitorSpec } from './spec.ts';

/** A run of the job that has begun, and not ended. */
export interface OpenPingRun {
  /** Its own id; null: its pings name none. */
  rid: string | null;
  /** The first start since the last end. Another start with the same id does not end the one before. */
  since: Date;
  /** The last one: its duration counts from there. */
  startedAt: Date;
}

/** What the pings that came make of a monitor. It does not need the pings themselves, which are kept for a while only. */
export interface MonitorStatus {
  lastPingAt: Date | null;
  lastKind: PingKind | null;
  lastSuccessAt: Date | null;
  /** The first failure since the last success, null: there was none. */
  failedAt: Date | null;
  /** What the last failure ended with; null: it was not said. */
  exitStatus: number | null;
  /** The earliest first. */
  running: readonly OpenPingRun[];
  /** When the job has to have begun or ended again. Null: never. */
  dueAt: Date | null;
}

/** A pause: nothing is expected in it. */
export interface MonitorPause {
  /** Null: until somebody resumes. */
  untilAt: Date | null;
}

/** Runs that are under way at once, of which is kept when they began. Of further ones nothing is expected. */
export const MAX_OPEN_PING_RUNS = 20;
/** A machine whose clock is ahead pings so much before the job is due by ours. */
const EARLY_MS = 30 * SECOND;

/** Of one that has had no ping: the first is expected as if the last had come now, so that a URL that nobody calls is found. */
export function newMonitorStatus(spec: MonitorSpec, at: Date): MonitorStatus {
  return {
    ...{ lastPingAt: null, lastKind: null, lastSuccessAt: null, failedAt: null, exitStatus: null, running: [] },
    dueAt: dueAfter(spec, at),
  };
}

/** When the job is due after an instant at which nothing came. */
export function dueAfter({ schedule }: MonitorSpec, at: Date): Date | null {
  return nextFire(parseSchedule(schedule), at);
}

/** When the job is due after a ping. One that came just before it was due is of that time. */
function dueAfterPing(spec: MonitorSpec, at: Date): Date | null {
  const next = dueAfter(spec, at);
  if (!next || spec.schedule.kind === 'fixed-delay' || next.getTime() - at.getTime() > EARLY_MS) return next;
  const following = dueAfter(spec, next);
  return following && following.getTime() - next.getTime() >= 10 * MINUTE ? following : next;
}

export interface CountedPing extends Signal {
  rid: string | null;
  at: Date;
}

/** What a ping changes. `durationMs`: since the start that it ends; null: it ends none. */
export function afterPing(
  before: MonitorStatus,
  ping: CountedPing,
  { spec, pause }: { spec: MonitorSpec; pause: MonitorPause | null },
): { status: MonitorStatus; durationMs: number | null } {
  const { kind, at, rid, exitStatus } = ping;
  const seen = { ...before, lastPingAt: at, lastKind: kind };
  if (kind === 'log') return { status: seen, durationMs: null };
  const dueAt = laterDue(dueAfterPing(spec, at), spec, pause);
  if (kind === 'start')
    return { status: { ...seen, dueAt, running: began(before.running, rid, at) }, durationMs: null };
  const ended = before.running.find((run) => run.rid === rid);
  const durationMs = ended ? Math.max(0, at.getTime() - ended.startedAt.getTime()) : null;
  const running = stillRunning(before.running, { rid, ended, kind });
  const after = { ...seen, dueAt, running };
  if (kind === 'success')
    return { status: { ...after, lastSuccessAt: at, failedAt: null, exitStatus: null }, durationMs };
  return { status: { ...after, failedAt: before.failedAt ?? at, exitStatus }, durationMs };
}

/** Nothing is due in a pause that has an end: it is counted from there. */
function laterDue(dueAt: Date | null, spec: MonitorSpec, pause: MonitorPause | null): Date | null {
  if (!pause?.untilAt || !dueAt || dueAt >= pause.untilAt) return dueAt;
  return dueAfter(spec, pause.untilAt);
}

function began(running: readonly OpenPingRun[], rid: string | null, at: Date): readonly OpenPingRun[] {
  const known = running.some((run) => run.rid === rid);
  if (known) return running.map((run) => (run.rid === rid ? { ...run, startedAt: at } : run));
  return running.length < MAX_OPEN_PING_RUNS ? [...running, { rid, since: at, startedAt: at }] : running;
}

/**
 * An end without an id ends all. One with an id ends its own run; if it is a success, what began before that and never ended is over too: the
 * job works again.
 */
function stillRunning(
  running: readonly OpenPingRun[],
  { rid, ended, kind }: { rid: string | null; ended: OpenPingRun | undefined; kind: PingKind },
): readonly OpenPingRun[] {
  if (rid === null) return [];
  const others = running.filter((run) => run !== ended);
  return kind === 'success' && ended ? others.filter((run) => run.since >= ended.since) : others;
}
