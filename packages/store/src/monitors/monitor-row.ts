import type {
  MonitorSpec,
  MonitorStatus,
  OpenPingRun,
  PingIntake,
  PingKind,
  PingWindow,
} from '@escapement/core/monitors';

/** A job that runs elsewhere, as it is kept. */
export interface Monitor {
  id: string;
  name: string;
  spec: MonitorSpec;
  status: MonitorStatus;
  /** Null: it is not paused. One whose end has passed counts no more. */
  pause: MonitorPauseRow | null;
  intake: PingIntake;
  /** How many pings have come. */
  pings: bigint;
  createdAt: Date;
  createdBy: string;
  /** Each write raises it. */
  revision: bigint;
  /** The pings of the last minute. */
  window: PingWindow | null;
  /** The time of Postgres when this was read. */
  now: Date;
}

export interface MonitorPauseRow {
  at: Date;
  /** Null: until somebody resumes. */
  untilAt: Date | null;
  by: string | null;
  note: string | null;
}

/** What a row answers, by `MONITOR_COLUMNS`. */
export interface MonitorRow {
  [column: string]: unknown;
  id: string;
  name: string;
  definition: MonitorSpec;
  lastPingAt: Date | null;
  lastKind: PingKind | null;
  lastSuccessAt: Date | null;
  failedAt: Date | null;
  exitStatus: number | null;
  running: { rid: string | null; since: string; startedAt: string }[];
  dueAt: Date | null;
  heardAt: Date | null;
  unheardFrom: Date | null;
  unheardUntil: Date | null;
  pings: bigint;
  pausedAt: Date | null;
  pausedUntil: Date | null;
  pausedBy: string | null;
  pauseNote: string | null;
  createdAt: Date;
  createdBy: string;
  revision: bigint;
  windowSince: Date | null;
  windowPings: number | null;
  now: Date;
}

/** What schedulers may read as well. */
export const JUDGED_COLUMNS = `h.id, h.name, h.definition, h.last_ping_at AS "lastPingAt", h.last_kind AS "lastKind",
  h.last_success_at AS "lastSuccessAt", h.failed_at AS "failedAt", h.exit_status AS "exitStatus", h.running, h.due_at AS "dueAt",
  h.paused_at AS "pausedAt", h.paused_until AS "pausedUntil", h.unheard_from AS "unheardFrom", h.unheard_until AS "unheardUntil",
  (SELECT w.heard_at FROM alert_watch w WHERE w.namespace = h.namespace) AS "heardAt"`;

export const MONITOR_COLUMNS = `${JUDGED_COLUMNS}, h.pings, h.paused_by AS "pausedBy", h.pause_note AS "pauseNote", h.created_at AS "createdAt",
  h.created_by AS "createdBy", h.revision, h.window_since AS "windowSince", h.window_pings AS "windowPings", now()::timestamptz(3) AS now`;

export function monitorStatusOf(row: Pick<MonitorRow, keyof MonitorStatus>): MonitorStatus {
  const { lastPingAt, lastKind, lastSuccessAt, failedAt, exitStatus, running, dueAt } = row;
  return { lastPingAt, lastKind, lastSuccessAt, failedAt, exitStatus, running: running.map(toOpenRun), dueAt };
}

export function pingIntakeOf({
  heardAt,
  unheardFrom: from,
  unheardUntil: until,
}: Pick<MonitorRow, 'heardAt' | 'unheardFrom' | 'unheardUntil'>): PingIntake {
  return { lastOpenAt: heardAt, gap: from && until && { from, until } };
}

function toOpenRun({ rid, since, startedAt }: MonitorRow['running'][number]): OpenPingRun {
  return { rid, since: new Date(since), startedAt: new Date(startedAt) };
}

export function toMonitor(row: MonitorRow): Monitor {
  const { id, name, definition: spec, pings, createdAt, createdBy, revision, now } = row;
  const { pausedAt, pausedUntil: untilAt, pausedBy, pauseNote: note, windowSince, windowPings } = row;
  const pause = pausedAt && { at: pausedAt, untilAt, by: pausedBy, note };
  const window = windowSince && windowPings !== null ? { since: windowSince, pings: windowPings } : null;
  const judged = { spec, status: monitorStatusOf(row), pause, intake: pingIntakeOf(row) };
  return { id, name, ...judged, pings, createdAt, createdBy, revision, window, now };
}

/** What a write changes of the standing, as one parameter. */
export const STATUS_INPUT = (
  parameter: string,
) => `jsonb_to_record(${parameter}::jsonb) AS s("lastPingAt" timestamptz, "lastKind" text,
  "lastSuccessAt" timestamptz, "failedAt" timestamptz, "exitStatus" integer, "running" jsonb, "dueAt" timestamptz, "troubleAt" timestamptz)`;

export const SET_STATUS = `last_ping_at = s."lastPingAt", last_kind = s."lastKind", last_success_at = s."lastSuccessAt",
  failed_at = s."failedAt", exit_status = s."exitStatus", running = s."running", due_at = s."dueAt", trouble_at = s."troubleAt"`;

export function toStatusInput(status: MonitorStatus, troubleAt: Date | null): string {
  return JSON.stringify({ ...status, troubleAt });
}
