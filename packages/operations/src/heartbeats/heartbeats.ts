import { isDeepStrictEqual } from 'node:util';
import {
  type By,
  dueAfter,
  EscapementError,
  type Hearing,
  type HeartbeatInput,
  type HeartbeatSpec,
  type HeartbeatState,
  type HeartbeatTrouble,
  heartbeatName,
  heartbeatSpec,
  heartbeatState,
  heartbeatTroubles,
  nearest,
  newStanding,
  parseSchedule,
  type Right,
  refusals,
  troubleAt,
} from '@escapement/core';
import {
  changeHeartbeat,
  type Database,
  findHeartbeat,
  type Heartbeat,
  type HeartbeatChange,
  insertHeartbeat,
  listHeartbeats,
  pingDatabase,
  deleteHeartbeat as remove,
} from '@escapement/store';
import { permitInNamespace } from '../rights/permit.ts';
import { checkEnd } from '../tasks/pause-task.ts';
import { hashPingId, newPingId } from './ping-id.ts';

/** Pings and people may change a heartbeat at the same moment: so often an act starts over. */
const MAX_RACES = 20;
/** Names that are looked through for the nearest one. */
const NAMES = 1000;

/** Of one that is new. */
const NEVER_UNHEARD: Hearing = { heardAt: null, unheard: null };

/** A heartbeat with what follows from it at the moment when it was read. */
export interface HeartbeatNow extends Heartbeat {
  state: HeartbeatState;
  troubles: HeartbeatTrouble[];
}

/** How a heartbeat is at the moment when it was read. */
export function heartbeatNow(heartbeat: Heartbeat): HeartbeatNow {
  const { now } = heartbeat;
  return { ...heartbeat, state: heartbeatState(heartbeat, now), troubles: heartbeatTroubles(heartbeat, now) };
}

/** A heartbeat. Throws `unknown_heartbeat` with the nearest. */
export async function requireHeartbeat(db: Database, name: string): Promise<HeartbeatNow> {
  const found = await findHeartbeat(db, name);
  if (found) return heartbeatNow(found);
  const near = nearest(
    name,
    (await listHeartbeats(db, { limit: NAMES })).map((each) => each.name),
  );
  throw new EscapementError('unknown_heartbeat', `there is no heartbeat "${name.slice(0, 100)}"`, {
    ...(near ? { fix: `did you mean ${near}?` } : {}),
  });
}

/**
 * Makes a heartbeat. The id in the URL of its pings is told here and never again: only its SHA-256 is kept. Throws `bad_heartbeat`,
 * `name_taken`, `ScheduleError`, `not_allowed`.
 */
export async function createHeartbeat(
  db: Database,
  name: string,
  input: HeartbeatInput,
  by: By,
): Promise<{ pingId: string }> {
  await permitOnHeartbeat(db, by, 'edit', { name, action: 'create' });
  if (!heartbeatName.safeParse(name).success)
    throw new EscapementError('bad_heartbeat', `a heartbeat cannot be called "${name.slice(0, 100)}"`, {
      fix: 'use 1 to 100 letters, digits and ._- , beginning with a letter or digit',
    });
  const spec = checkSpec(input);
  const { now } = await pingDatabase(db);
  const standing = newStanding(spec, now);
  const pingId = newPingId();
  const pingHash = hashPingId(pingId);
  const first = troubleAt({ spec, standing, pause: null, hearing: NEVER_UNHEARD });
  if (await insertHeartbeat(db, { name, spec, pingHash, standing, troubleAt: first, by })) return { pingId };
  throw new EscapementError('name_taken', `there is a heartbeat "${name}" already`, {
    fix: 'give another name, or change that one',
  });
}

/** What an edit changes; what is left out stays. */
export type HeartbeatEdit = { [Part in keyof HeartbeatInput]?: HeartbeatInput[Part] | undefined };

/** Changes what is expected. Another schedule counts from now on. Throws `unknown_heartbeat`, `bad_heartbeat`, `nothing_to_edit`, `ScheduleError`. */
export async function editHeartbeat(db: Database, name: string, edit: HeartbeatEdit, by: By): Promise<void> {
  const parts = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
  await change(db, name, { right: 'edit', action: 'edit', by }, ({ spec: before, standing, pause, now }) => {
    if (Object.keys(parts).length === 0)
      throw new EscapementError('nothing_to_edit', 'the edit changes nothing', { fix: 'say what is to change' });
    const spec = checkSpec({ ...before, ...parts });
    const isSame = isDeepStrictEqual(spec.schedule, before.schedule);
    const from = pause?.untilAt && pause.untilAt > now ? pause.untilAt : now;
    return { spec, standing: isSame ? standing : { ...standing, dueAt: dueAfter(spec, from) } };
  });
}

/**
 * Expects nothing of a heartbeat until an instant, or until it is resumed (null). Pings are taken all the same. Throws `unknown_heartbeat`,
 * `bad_instant` for an end that has passed.
 */
export async function pauseHeartbeat(db: Database, name: string, untilAt: Date | null, by: By): Promise<void> {
  await change(
    db,
    name,
    { right: 'pause', action: 'pause', by, check: () => checkEnd(db, untilAt) },
    ({ spec, standing }) => ({
      pause: { untilAt },
      standing: untilAt ? { ...standing, dueAt: dueAfter(spec, untilAt) } : standing,
    }),
  );
}

/** Ends the pause of a heartbeat: from now on it is expected again. False: it was not paused. Throws `unknown_heartbeat`. */
export async function resumeHeartbeat(db: Database, name: string, by: By): Promise<boolean> {
  let wasPaused = true;
  await change(db, name, { right: 'pause', action: 'resume', by }, ({ spec, standing, pause, now }) => {
    wasPaused = pause !== null && (pause.untilAt === null || pause.untilAt > now);
    if (!wasPaused) return null;
    return { pause: null, standing: { ...standing, dueAt: dueAfter(spec, now) } };
  });
  return wasPaused;
}

/** Gives a heartbeat another URL; the one before is of no use from then on. Throws `unknown_heartbeat`. */
export async function renewHeartbeatUrl(db: Database, name: string, by: By): Promise<{ pingId: string }> {
  const pingId = newPingId();
  await change(db, name, { right: 'edit', action: 'new url', by }, () => ({ pingHash: hashPingId(pingId) }));
  return { pingId };
}

/** Deletes a heartbeat with its pings. Its alerts are over. Throws `unknown_heartbeat`. */
export async function deleteHeartbeat(db: Database, name: string, by: By): Promise<void> {
  await permitOnHeartbeat(db, by, 'edit', { name, action: 'delete' });
  if (!(await remove(db, name, by))) await requireHeartbeat(db, name);
}

/** Heartbeats are of the namespace, whosever labels they have. */
async function permitOnHeartbeat(
  db: Database,
  by: By,
  right: Right,
  { name, action }: { name: string; action: string },
): Promise<void> {
  await permitInNamespace(db, by, right, { action, subject: { heartbeat: name }, what: `heartbeat ${name}` });
}

/** Throws `bad_heartbeat`, `ScheduleError`. */
function checkSpec(input: HeartbeatInput): HeartbeatSpec {
  const read = heartbeatSpec.safeParse(input);
  if (!read.success)
    throw new EscapementError(
      'bad_heartbeat',
      refusals(read.error.issues, input, { root: 'the heartbeat' }).join('\n'),
    );
  parseSchedule(read.data.schedule);
  return read.data;
}

type Changed = Partial<Pick<HeartbeatChange, 'spec' | 'standing' | 'pause' | 'pingHash'>>;
interface ChangeAct {
  right: Right;
  action: HeartbeatChange['action'];
  by: By;
  /** Before anything is read. */
  check?: () => Promise<void>;
}

/** Null: there is nothing to change. */
async function change(
  db: Database,
  name: string,
  { right, action, by, check }: ChangeAct,
  decide: (heartbeat: Heartbeat) => Changed | null,
): Promise<void> {
  await permitOnHeartbeat(db, by, right, { name, action });
  await check?.();
  for (let race = 0; race < MAX_RACES; race++) {
    const heartbeat = await requireHeartbeat(db, name);
    const decided = decide(heartbeat);
    if (!decided) return;
    const { spec = heartbeat.spec, standing = heartbeat.standing, pause = 'keep', pingHash } = decided;
    const inForce = pause === 'keep' ? heartbeat.pause : pause;
    const changed = await changeHeartbeat(db, heartbeat, {
      ...{ action, spec, standing, pause, by },
      ...{
        troubleAt: troubleAt({ spec, standing, pause: inForce, hearing: heartbeat.hearing }),
        ...(pingHash ? { pingHash } : {}),
      },
    });
    if (changed) return;
  }
  throw new EscapementError('save_races', `the heartbeat ${name} kept changing`, { fix: 'try again' });
}
