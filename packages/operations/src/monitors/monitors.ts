import { isDeepStrictEqual } from 'node:util';
import { type By, EscapementError, nearest, refusals } from '@escapement/core';
import {
  dueAfter,
  type MonitorInput,
  type MonitorSpec,
  type MonitorState,
  type MonitorTrouble,
  monitorName,
  monitorSpec,
  monitorState,
  monitorTroubles,
  newMonitorStatus,
  type PingIntake,
  troubleAt,
} from '@escapement/core/monitors';
import type { Right } from '@escapement/core/rights';
import { parseSchedule } from '@escapement/core/schedule';
import {
  changeMonitor,
  type Database,
  findMonitor,
  insertMonitor,
  listMonitors,
  type Monitor,
  type MonitorChange,
  pingDatabase,
  deleteMonitor as remove,
} from '@escapement/store';
import { permitInNamespace } from '../rights/permit.ts';
import { checkEnd } from '../tasks/pause-task.ts';
import { hashPingId, newPingId } from './ping-id.ts';

/** Pings and people may change a monitor at the same moment: so often an act starts over. */
const MAX_RACES = 20;
/** Names that are looked through for the nearest one. */
const NAMES = 1000;

/** Of one that is new. */
const NO_GAP: PingIntake = { lastOpenAt: null, gap: null };

/** A monitor with what follows from it at the moment when it was read. */
export interface MonitorNow extends Monitor {
  state: MonitorState;
  troubles: MonitorTrouble[];
}

/** How a monitor is at the moment when it was read. */
export function monitorNow(monitor: Monitor): MonitorNow {
  const { now } = monitor;
  return { ...monitor, state: monitorState(monitor, now), troubles: monitorTroubles(monitor, now) };
}

/** A monitor. Throws `unknown_monitor` with the nearest. */
export async function requireMonitor(db: Database, name: string): Promise<MonitorNow> {
  const found = await findMonitor(db, name);
  if (found) return monitorNow(found);
  const near = nearest(
    name,
    (await listMonitors(db, { limit: NAMES })).map((each) => each.name),
  );
  throw new EscapementError('unknown_monitor', `there is no monitor "${name.slice(0, 100)}"`, {
    ...(near ? { fix: `did you mean ${near}?` } : {}),
  });
}

/**
 * Makes a monitor. The id in the URL of its pings is told here and never again: only its SHA-256 is kept. Throws `bad_monitor`,
 * `name_taken`, `ScheduleError`, `not_allowed`.
 */
export async function createMonitor(
  db: Database,
  name: string,
  input: MonitorInput,
  by: By,
): Promise<{ pingId: string }> {
  await permitOnMonitor(db, by, 'edit', { name, action: 'create' });
  if (!monitorName.safeParse(name).success)
    throw new EscapementError('bad_monitor', `a monitor cannot be called "${name.slice(0, 100)}"`, {
      fix: 'use 1 to 100 letters, digits and ._- , beginning with a letter or digit',
    });
  const spec = checkSpec(input);
  const { now } = await pingDatabase(db);
  const status = newMonitorStatus(spec, now);
  const pingId = newPingId();
  const pingHash = hashPingId(pingId);
  const first = troubleAt({ spec, status, pause: null, intake: NO_GAP });
  if (await insertMonitor(db, { name, spec, pingHash, status, troubleAt: first, by })) return { pingId };
  throw new EscapementError('name_taken', `there is a monitor "${name}" already`, {
    fix: 'give another name, or change that one',
  });
}

/** What an edit changes; what is left out stays. */
export type MonitorEdit = { [Part in keyof MonitorInput]?: MonitorInput[Part] | undefined };

/** Changes what is expected. Another schedule counts from now on. Throws `unknown_monitor`, `bad_monitor`, `nothing_to_edit`, `ScheduleError`. */
export async function editMonitor(db: Database, name: string, edit: MonitorEdit, by: By): Promise<void> {
  const parts = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
  await change(db, name, { right: 'edit', action: 'edit', by }, ({ spec: before, status, pause, now }) => {
    if (Object.keys(parts).length === 0)
      throw new EscapementError('nothing_to_edit', 'the edit changes nothing', { fix: 'say what is to change' });
    const spec = checkSpec({ ...before, ...parts });
    const isSame = isDeepStrictEqual(spec.schedule, before.schedule);
    const from = pause?.untilAt && pause.untilAt > now ? pause.untilAt : now;
    return { spec, status: isSame ? status : { ...status, dueAt: dueAfter(spec, from) } };
  });
}

/**
 * Expects nothing of a monitor until an instant, or until it is resumed (null). Pings are taken all the same. Throws `unknown_monitor`,
 * `bad_instant` for an end that has passed.
 */
export async function pauseMonitor(db: Database, name: string, untilAt: Date | null, by: By): Promise<void> {
  await change(
    db,
    name,
    { right: 'pause', action: 'pause', by, check: () => checkEnd(db, untilAt) },
    ({ spec, status }) => ({
      pause: { untilAt },
      status: untilAt ? { ...status, dueAt: dueAfter(spec, untilAt) } : status,
    }),
  );
}

/** Ends the pause of a monitor: from now on it is expected again. False: it was not paused. Throws `unknown_monitor`. */
export async function resumeMonitor(db: Database, name: string, by: By): Promise<boolean> {
  let wasPaused = true;
  await change(db, name, { right: 'pause', action: 'resume', by }, ({ spec, status, pause, now }) => {
    wasPaused = pause !== null && (pause.untilAt === null || pause.untilAt > now);
    if (!wasPaused) return null;
    return { pause: null, status: { ...status, dueAt: dueAfter(spec, now) } };
  });
  return wasPaused;
}

/** Gives a monitor another URL; the one before is of no use from then on. Throws `unknown_monitor`. */
export async function renewMonitorUrl(db: Database, name: string, by: By): Promise<{ pingId: string }> {
  const pingId = newPingId();
  await change(db, name, { right: 'edit', action: 'new url', by }, () => ({ pingHash: hashPingId(pingId) }));
  return { pingId };
}

/** Deletes a monitor with its pings. Its alerts are over. Throws `unknown_monitor`. */
export async function deleteMonitor(db: Database, name: string, by: By): Promise<void> {
  await permitOnMonitor(db, by, 'edit', { name, action: 'delete' });
  if (!(await remove(db, name, by))) await requireMonitor(db, name);
}

/** Monitors are of the namespace, whosever labels they have. */
async function permitOnMonitor(
  db: Database,
  by: By,
  right: Right,
  { name, action }: { name: string; action: string },
): Promise<void> {
  await permitInNamespace(db, by, right, { action, subject: { monitor: name }, what: `monitor ${name}` });
}

/** Throws `bad_monitor`, `ScheduleError`. */
function checkSpec(input: MonitorInput): MonitorSpec {
  const read = monitorSpec.safeParse(input);
  if (!read.success)
    throw new EscapementError('bad_monitor', refusals(read.error.issues, input, { root: 'the monitor' }).join('\n'));
  parseSchedule(read.data.schedule);
  return read.data;
}

type Changed = Partial<Pick<MonitorChange, 'spec' | 'status' | 'pause' | 'pingHash'>>;
interface ChangeAction {
  right: Right;
  action: MonitorChange['action'];
  by: By;
  /** Before anything is read. */
  check?: () => Promise<void>;
}

/** Null: there is nothing to change. */
async function change(
  db: Database,
  name: string,
  { right, action, by, check }: ChangeAction,
  decide: (monitor: Monitor) => Changed | null,
): Promise<void> {
  await permitOnMonitor(db, by, right, { name, action });
  await check?.();
  for (let race = 0; race < MAX_RACES; race++) {
    const monitor = await requireMonitor(db, name);
    const decided = decide(monitor);
    if (!decided) return;
    const { spec = monitor.spec, status = monitor.status, pause = 'keep', pingHash } = decided;
    const inForce = pause === 'keep' ? monitor.pause : pause;
    const changed = await changeMonitor(db, monitor, {
      ...{ action, spec, status, pause, by },
      ...{
        troubleAt: troubleAt({ spec, status, pause: inForce, intake: monitor.intake }),
        ...(pingHash ? { pingHash } : {}),
      },
    });
    if (changed) return;
  }
  throw new EscapementError('save_races', `the monitor ${name} kept changing`, { fix: 'try again' });
}
