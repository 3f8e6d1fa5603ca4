import { type By, type ErrorGroup, EscapementError, errorGroupOf, exampleOf } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import {
  changeErrorStatus,
  countFailures,
  type Database,
  type ErrorChange,
  type ErrorStatus,
  errorStatuses,
  type FailedRun,
  type FailureCount,
  type Fingerprinted,
  keepFingerprints,
  releasesOfFailures,
  runsOfFingerprint,
  ungroupedFailures,
  whyFailed,
} from '@escapement/store';
import { permitInNamespace } from '../rights/permit.ts';
import { checkEnd } from '../tasks/pause-task.ts';

/** Failures that are counted, those that were scheduled last first. */
export const MOST_FAILURES = 100_000;
/** Of those whose fingerprint no scheduler has made yet, so many are counted as well. */
const MOST_UNGROUPED = 2000;

/** Failures that are taken for the same. */
export interface FailureGroup extends ErrorGroup, Omit<FailureCount, 'firstRunId'> {
  /** The release of the code that the first failure of all ran with; null: not known, or the task is not of code. */
  firstRelease: string | null;
  /** The release of the same application before that one; null: not known, or there was none. */
  releaseBefore: string | null;
  /** What the last one of them said, with its numbers and ids. */
  example: string;
  state: GroupState;
  /** What a person has said of it last; null: nothing. */
  status: Omit<ErrorStatus, 'fingerprint'> | null;
}

/** `back`: it was resolved, and has failed since. */
export type GroupState = 'open' | 'resolved' | 'muted' | 'back';

export interface FailuresAsked {
  /** Runs scheduled then or later. */
  since: Date;
  until?: Date | undefined;
  task?: string | undefined;
  labels?: LabelFilter | undefined;
}

/** Which of the groups are wanted. */
export interface GroupsAsked {
  states?: readonly GroupState[] | undefined;
  /** Only those of which nothing failed before. */
  newSince?: Date | undefined;
  /** At most so many. Default: 1000. */
  limit?: number | undefined;
}

export interface FailureGroups {
  groups: FailureGroup[];
  /** How many groups are wanted, and how many there are. */
  total: number;
  ofAll: number;
  /** Failures that ended before are not counted; null: all are. */
  lookedBackTo: Date | null;
}

/** Failures for good, by what they have in common; those that fail most first. */
export async function failureGroups(
  db: Database,
  { states, newSince, limit = 1000, ...asked }: FailuresAsked & GroupsAsked,
  now: Date,
): Promise<FailureGroups> {
  const ungrouped = await fingerprintsOf(db, MOST_UNGROUPED);
  const counted = await countFailures(db, filterOf(asked), { limit: MOST_FAILURES, ungrouped });
  const status = await errorStatuses(
    db,
    counted.groups.map(({ fingerprint }) => fingerprint),
  );
  const wanted = counted.groups
    .map((count) => withStatus(count, status.get(count.fingerprint) ?? null, now))
    .filter(({ state, firstSeenAt }) => (states?.includes(state) ?? true) && (!newSince || firstSeenAt >= newSince));
  const groups = await withWords(db, wanted.slice(0, limit));
  return { groups, total: wanted.length, ofAll: counted.groups.length, lookedBackTo: counted.lookedBackTo };
}

/** Runs of a group, the latest first; at most so many. */
export async function runsOfGroup(
  db: Database,
  fingerprint: string,
  { limit, ...asked }: FailuresAsked & { limit: number },
): Promise<{ id: string; taskName: string }[]> {
  const ungrouped = await fingerprintsOf(db, MOST_UNGROUPED);
  return await runsOfFingerprint(db, fingerprint, filterOf(asked), { limit, ungrouped });
}

/** Makes the fingerprints of so many failures that have none, and keeps them. Returns how many there were. */
export async function groupFailures(db: Database, limit: number): Promise<number> {
  const made = await fingerprintsOf(db, limit);
  if (made.length > 0) await keepFingerprints(db, made);
  return made.length;
}

/** No run has failed like that. */
export function unknownError(fingerprint: string): EscapementError {
  return new EscapementError('unknown_error', `no run has failed with ${fingerprint.slice(0, 40)} in that time`, {
    fix: 'look at an earlier time, or see `escapement errors list`',
  });
}

/** Says what is to be thought of a group: it is resolved, muted until an instant, or open again. Throws `not_allowed`, `bad_instant`. */
export async function changeErrorGroup(
  db: Database,
  fingerprint: string,
  { change, by }: { change: ErrorChange; by: By },
): Promise<void> {
  const entry = { action: change.kind, subject: { error: fingerprint } };
  await permitInNamespace(db, by, 'rerun', { ...entry, what: `the error ${fingerprint.slice(0, 40)}` });
  checkFingerprint(fingerprint);
  if (change.kind === 'mute') await checkEnd(db, change.untilAt);
  await changeErrorStatus(db, fingerprint, { change, by });
}

async function fingerprintsOf(db: Database, limit: number): Promise<Fingerprinted[]> {
  const failures = await ungroupedFailures(db, limit);
  return failures.map((run) => ({ runId: run.id, fingerprint: errorGroupOf(run).fingerprint }));
}

function filterOf({ since, until, task, labels }: FailuresAsked) {
  return { since, until, taskName: task, labels };
}

type GroupStatus = FailureCount & Pick<FailureGroup, 'state' | 'status'>;

function withStatus(count: FailureCount, said: ErrorStatus | null, now: Date): GroupStatus {
  const state = stateOf(said, count.lastAt, now);
  if (!said) return { ...count, state, status: null };
  const { fingerprint: _, ...status } = said;
  return { ...count, state, status };
}

/** As their last runs say, and with the release of their first; those whose run has just been deleted go with it. */
async function withWords(db: Database, groups: readonly GroupStatus[]): Promise<FailureGroup[]> {
  const why: ReadonlyMap<string, FailedRun> = await whyFailed(
    db,
    groups.map(({ lastRunId }) => lastRunId),
  );
  const releases = await releasesOfFailures(
    db,
    groups.map(({ firstRunId }) => firstRunId),
  );
  return groups.flatMap(({ firstRunId, ...group }) => {
    const run = why.get(group.lastRunId);
    const { release: firstRelease = null, before: releaseBefore = null } = releases.get(firstRunId) ?? {};
    return run ? [{ ...errorGroupOf(run), example: exampleOf(run), ...group, firstRelease, releaseBefore }] : [];
  });
}

function stateOf(status: ErrorStatus | null, lastAt: Date, now: Date): FailureGroup['state'] {
  if (status?.mutedUntil && status.mutedUntil > now) return 'muted';
  if (status?.resolvedAt) return lastAt > status.resolvedAt ? 'back' : 'resolved';
  return 'open';
}

/** Throws `unknown_error` for what is no fingerprint. */
export function checkFingerprint(given: string): void {
  if (/^[0-9a-f]{16}$/.test(given)) return;
  throw new EscapementError('unknown_error', `${JSON.stringify(given.slice(0, 40))} is the fingerprint of no error`, {
    fix: 'see `escapement errors list`',
  });
}
