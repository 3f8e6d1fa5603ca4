import { nearestInstant } from '../instant.ts';
import type { MonitorPause, MonitorStatus } from './monitor-status.ts';
import { graceAfter, type IntakeGap, type PingIntake } from './ping-intake.ts';
import type { MonitorSpec } from './spec.ts';

/** What may be wrong with a monitor. */
export const MONITOR_TROUBLES = ['missed', 'failed', 'slow'] as const;
export type MonitorTroubleKind = (typeof MONITOR_TROUBLES)[number];

export interface MonitorTrouble {
  kind: MonitorTroubleKind;
  /** `missed`: since when a ping is due; `failed`: since its first failure in a row; `slow`: since it began. */
  since: Date;
  /** When pings may have been lost that it was waiting for; so long it was not told of. Null: they were not. */
  gap: IntakeGap | null;
}

export const MONITOR_STATES = ['new', 'up', 'running', 'late', 'down', 'paused'] as const;
/**
 * - `new`: no ping has come, and none is due.
 * - `up`: all is as expected. `running`: it has begun.
 * - `late`: a ping is due, and may still come.
 * - `down`: something is wrong. `paused`: nothing is expected.
 */
export type MonitorState = (typeof MONITOR_STATES)[number];

/** A monitor, as far as it is judged. */
export interface JudgedMonitor {
  spec: MonitorSpec;
  status: MonitorStatus;
  /** Null: it is not paused. One whose end has passed counts no more. */
  pause: MonitorPause | null;
  intake: PingIntake;
}

export function isMonitorPaused({ pause }: Pick<JudgedMonitor, 'pause'>, now: Date): boolean {
  return pause !== null && (pause.untilAt === null || pause.untilAt > now);
}

/** What is wrong at an instant. That nothing came is known only until an API was last there to take it. */
export function monitorTroubles(monitor: JudgedMonitor, now: Date): MonitorTrouble[] {
  if (isMonitorPaused(monitor, now)) return [];
  const nowMs = now.getTime();
  const knownMs = Math.min(nowMs, monitor.intake.lastOpenAt?.getTime() ?? nowMs);
  return troublesToCome(monitor).flatMap(({ atMs, ...trouble }) =>
    atMs <= (trouble.kind === 'failed' ? nowMs : knownMs) ? [trouble] : [],
  );
}

/** The first instant at which something is wrong if no ping comes until then. Null: never. */
export function troubleAt(monitor: JudgedMonitor): Date | null {
  const { pause } = monitor;
  if (pause && pause.untilAt === null) return null;
  const first = Math.min(...troublesToCome(monitor).map(({ atMs }) => atMs));
  if (!Number.isFinite(first)) return null;
  return nearestInstant(Math.max(first, pause?.untilAt?.getTime() ?? first));
}

function troublesToCome({ spec, status, intake }: JudgedMonitor): (MonitorTrouble & { atMs: number })[] {
  const { graceMs, maxRunMs = graceMs } = spec;
  const silence = (at: Date, ms: number) => graceAfter(at.getTime() + ms, graceMs, intake);
  const { dueAt, failedAt, running } = status;
  const first = running.reduce<Date | null>((least, { since }) => (least && least <= since ? least : since), null);
  return [
    ...(failedAt ? [{ kind: 'failed' as const, since: failedAt, gap: null, atMs: failedAt.getTime() }] : []),
    ...(first ? [{ kind: 'slow' as const, since: first, ...silence(first, maxRunMs) }] : []),
    // While a run goes on it is told how long that takes, not that the next one does not begin.
    ...(dueAt && !first ? [{ kind: 'missed' as const, since: dueAt, ...silence(dueAt, graceMs) }] : []),
  ];
}

/** How it is, in one word. */
export function monitorState(monitor: JudgedMonitor, now: Date): MonitorState {
  if (isMonitorPaused(monitor, now)) return 'paused';
  if (monitorTroubles(monitor, now).length > 0) return 'down';
  const { running, dueAt, lastPingAt } = monitor.status;
  if (running.length > 0) return 'running';
  if (dueAt && dueAt <= now) return 'late';
  return lastPingAt ? 'up' : 'new';
}
