import { type Emit, EscapementError, storableText } from '@escapement/core';
import { NO_TRACING, type Tracing } from '@escapement/core/traces';
import {
  type Database,
  type Definitions,
  type DispatchableRun,
  isPassingError,
  makeFollowers,
  type OutboxEntry,
  splitOnDataFault,
  targetTasks,
} from '@escapement/store';
import { type Asked, askedBy, outcomeOf, rowsOf } from './wanted-runs.ts';

export interface MakerDeps {
  db: Database;
  definitions: Definitions;
  emit: Emit;
  /** Tells those that follow which span they continue. Default: that of the run before, if it has one. */
  tracing?: Tracing;
}

/**
 * Makes the runs that outbox entries ask for. One that cannot be carried out is tried again later, or given up, and does not
 * hold the others up. Returns the runs whose jobs are to be added.
 */
export async function processOutbox(notes: readonly OutboxEntry[], deps: MakerDeps): Promise<DispatchableRun[]> {
  if (notes.length === 0) return [];
  const asked = await Promise.all(notes.map((note) => read(note, deps)));
  const names = new Set(asked.flatMap(({ followers }) => followers.map(({ task }) => task)));
  const targets = names.size > 0 ? await targetTasks(deps.db, [...names]) : new Map();
  const making = { targets, tracing: deps.tracing ?? NO_TRACING };
  return await makeAll(
    asked.map((each) => wantedOf(each, making)),
    deps,
  );
}

function wantedOf(asked: Asked, making: Parameters<typeof rowsOf>[1]): Wanted {
  try {
    return { note: asked.note, ...rowsOf(asked, making) };
  } catch (error) {
    return { note: asked.note, runs: [], problems: [problemOf(error)] };
  }
}

interface Wanted extends ReturnType<typeof rowsOf> {
  note: OutboxEntry;
}

async function read(note: OutboxEntry, { definitions }: MakerDeps): Promise<Asked> {
  const { event } = note.what;
  try {
    const needed = note.run && (event === 'started' || event === 'finished');
    const version = needed ? await definitions.get(note.taskId, note.taskVersion) : undefined;
    return askedBy(note, version?.definition);
  } catch (error) {
    if (isPassingError(error)) throw error;
    return { note, followers: [], problems: [problemOf(error)] };
  }
}

/** In one statement; where Postgres refuses that, without those at fault, so that they do not fail their neighbours. */
async function makeAll(wanted: readonly Wanted[], deps: MakerDeps): Promise<DispatchableRun[]> {
  const made = await splitOnDataFault(wanted, {
    isOfMember: (error) => !isPassingError(error),
    write: (part) => make(part, deps),
    refused: ({ note }, error) => make([{ note, runs: [], problems: [problemOf(error)] }], deps),
  });
  return made.flat();
}

async function make(wanted: readonly Wanted[], { db, emit }: MakerDeps): Promise<DispatchableRun[]> {
  const outcomes = wanted.map(({ note, problems }) => outcomeOf(note, problems));
  const made = await makeFollowers(
    db,
    outcomes,
    wanted.flatMap(({ runs }) => runs),
  );
  for (const [index, { error, retryInMs }] of outcomes.entries()) {
    const note = wanted[index]?.note;
    if (error === null || !note) continue;
    const { id: run, task } = note.run ?? { id: 'pruned', task: note.taskId };
    emit({ event: 'followers_failed', run, task, what: note.what.event, error, givenUp: retryInMs === null });
  }
  return made;
}

function problemOf(error: unknown): EscapementError {
  if (error instanceof EscapementError) return error;
  return new EscapementError('followers_failed', storableText(error instanceof Error ? error.message : String(error)));
}
