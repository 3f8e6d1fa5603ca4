import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  compareHost,
  EscapementError,
  firesBetween,
  groupedBy,
  type LineComparison,
  MINUTE,
  nearest,
  parseSchedule,
  type Schedule,
} from '@escapement/core';
import {
  cronStarts,
  type Database,
  listTasks,
  type ShadowRow,
  shadowRows,
  type Task,
  type ToldStart,
} from '@escapement/store';
import { scheduleWords } from '../tasks/task-stand.ts';

/** Rows and reports that are looked through, the latest ones. */
const MOST = 200_000;

export interface ShadowAsked {
  /** A crontab's source, without `crontab:`; default: all. */
  source?: string | undefined;
  /** What was due, and started, since then. */
  since: Date;
}

/** A line of a crontab whose task is in its shadow, and what became of both. */
export interface ShadowedLine extends LineComparison {
  task: string;
  source: string;
  meaning: string;
  /** Those that have told of it. */
  hosts: string[];
  /** When cron was last told to have started it; null: never, in the time that is looked at. */
  lastStartedAt: Date | null;
  /** `agrees`: both start it, and each difference is explained. `differs`: one is not. `silent`: nothing was told of it. */
  state: 'agrees' | 'differs' | 'silent';
}

/**
 * Compares what cron did with what was planned, for each line of the crontabs that are in the shadow. A crontab is taken for that of one
 * host. Throws `unknown_source`.
 */
export async function shadowStatus(db: Database, { source, since }: ShadowAsked, now: Date): Promise<ShadowedLine[]> {
  const tasks = (await listTasks(db)).filter(({ definition }) => definition.shadow !== undefined);
  const wanted = tasks.filter((task) => source === undefined || nameOf(task) === source);
  if (source !== undefined && wanted.length === 0) throw unknownSource(source, tasks);
  const [rows, starts] = await Promise.all([
    shadowRows(
      db,
      wanted.map(({ id }) => id),
      { since: minuteOf(since), limit: MOST },
    ),
    cronStarts(db, wanted.map(lineOf), { since, limit: MOST }),
  ]);
  // Of more rows than are read, what cron did before the first that is read has no plan to be compared with.
  const cut = (rows.length === MOST && rows.at(-1)?.scheduledFor) || since;
  const [rowsOf, startsOf] = [groupedBy(rows, ({ taskId }) => taskId), groupedBy(starts, ({ line }) => line)];
  const all: ShadowedLine[] = [];
  for (const ofHost of groupedBy(wanted, (task) => task.source).values()) {
    await nextTurn();
    const lines = ofHost.map((task) => {
      const schedule = parseSchedule(task.definition.schedule, { seed: task.name });
      const fires = firesOf(rowsOf.get(task.id) ?? [], schedule);
      const planned = plannedFrom(task, fires);
      const plannedSince = planned > cut ? planned : cut;
      return { id: lineOf(task), task, schedule, fires, plannedSince, starts: startsOf.get(lineOf(task)) ?? [] };
    });
    const compared = compareHost(lines, { now });
    all.push(...compared.map((line, index) => viewOf(line, lines[index])));
  }
  return all;
}

function viewOf(line: LineComparison, of: { task: Task; starts: readonly ToldStart[] } | undefined): ShadowedLine {
  if (!of) throw new Error(`line ${line.id} was not asked for`);
  const { task, starts } = of;
  return {
    ...line,
    task: task.name,
    source: nameOf(task),
    meaning: scheduleWords(task.definition),
    hosts: [...new Set(starts.map(({ host }) => host))],
    lastStartedAt: starts.at(-1)?.startedAt ?? null,
    state: line.unexplained > 0 ? 'differs' : starts.length === 0 ? 'silent' : 'agrees',
  };
}

/** Who patches a crontab before it is imported reports starts of which the ledger has no row, and the minute of the import is in no plan as a whole. */
function plannedFrom({ effectiveAt }: Task, [first]: readonly Date[]): Date {
  const saved = new Date(minuteOf(effectiveAt).getTime() + MINUTE);
  return first && first < saved ? first : saved;
}

function minuteOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / MINUTE) * MINUTE);
}

/** A stretch of occurrences is one row. */
function firesOf(rows: readonly ShadowRow[], schedule: Schedule): Date[] {
  const times = rows.flatMap(({ scheduledFor, untilAt }) =>
    untilAt === null
      ? [scheduledFor.getTime()]
      : firesBetween(schedule, new Date(scheduledFor.getTime() - 1), untilAt, MOST).map((at) => at.getTime()),
  );
  return [...new Set(times)].sort((one, other) => one - other).map((time) => new Date(time));
}

function lineOf({ definition }: Task): string {
  return definition.shadow?.line ?? '';
}

function nameOf({ source }: Task): string {
  return source.replace(/^crontab:/, '');
}

function unknownSource(source: string, tasks: readonly Task[]): EscapementError {
  const near = nearest(source, new Set(tasks.map(nameOf)));
  return new EscapementError('unknown_source', `no task of a crontab "${source.slice(0, 100)}" is in its shadow`, {
    fix: near ? `did you mean ${near}?` : '`escapement import crontab FILE --shadow --write` makes such tasks',
  });
}
