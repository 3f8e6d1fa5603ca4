import { setImmediate as nextTurn } from 'node:timers/promises';
import { groupedBy, handlerFacts, MINUTE, scheduleWords } from '@escapement/core';
import { maskCommand } from '@escapement/core/mask';
import { firesBetween, type Schedule } from '@escapement/core/schedule';
import { compareHost, type LineComparison, type Side, sideAt } from '@escapement/core/shadow';
import {
  type Cutover,
  cronStarts,
  cutoversOf,
  type Database,
  type ReportedStart,
  type ShadowRow,
  shadowRows,
  type Task,
} from '@escapement/store';
import { lineOf, nameOf, scheduleOf, tasksOfLines } from './line-tasks.ts';
import { bySide, type StartsBySide, withSides } from './starts-by-side.ts';

/** Rows and reports that are looked through, the latest ones. */
const MOST = 200_000;

export interface ShadowAsked {
  /** A crontab's source, without `crontab:`, or the host of several; default: all. */
  source?: string | undefined;
  /** What was due, and started, since then. */
  since: Date;
}

/** A line of a crontab whose task is in its shadow, and what became of both. */
export interface ShadowedLine extends LineComparison {
  task: string;
  taskId: string;
  source: string;
  meaning: string;
  /** As the crontab has it. */
  schedule: string;
  /** Without what looks like a secret in it. */
  command: string;
  /** Of the host, as whom it runs; null: the crontab does not say, or the worker's own. */
  user: string | null;
  /** Since when both are compared; null: nothing was told of it. */
  comparedSince: Date | null;
  /** Those that have told of it. */
  hosts: string[];
  /** When cron was last told to have started it; null: never, in the time that is looked at. */
  lastStartedAt: Date | null;
  /** Who runs it now; `unknown`: its host has not answered a cut-over whose instant has passed. */
  side: Side | 'unknown';
  /** The last one that was asked for. */
  cutover: Cutover | null;
  /** `agrees`: both start it, and each difference is explained. `differs`: one is not. `silent`: nothing was told of it. */
  state: 'agrees' | 'differs' | 'silent';
}

/**
 * Compares what cron did with what was planned, for each line of the crontabs that are in the shadow. A crontab is taken for that of one
 * host. Throws `unknown_source`.
 */
export async function shadowStatus(db: Database, { source, since }: ShadowAsked, now: Date): Promise<ShadowedLine[]> {
  const wanted = await tasksOfLines(db, source);
  const [rows, starts, cutovers] = await Promise.all([
    shadowRows(
      db,
      wanted.map(({ id }) => id),
      { since: minuteOf(since), limit: MOST },
    ),
    cronStarts(db, wanted.map(lineOf), { since, limit: MOST }),
    cutoversOf(db, wanted.map(lineOf)),
  ]);
  // Of more rows than are read, what cron did before the first that is read has no plan to be compared with.
  const cut = (rows.length === MOST && rows.at(-1)?.scheduledFor) || since;
  const [rowsOf, startsOf] = [groupedBy(rows, ({ taskId }) => taskId), groupedBy(starts, ({ line }) => line)];
  const cutoverOf = new Map(cutovers.map((each) => [each.line, each]));
  const all: ShadowedLine[] = [];
  for (const ofHost of groupedBy(wanted, (task) => task.source).values()) {
    await nextTurn();
    const lines = ofHost.map((task) => {
      const schedule = scheduleOf(task);
      const fires = firesOf(rowsOf.get(task.id) ?? [], schedule);
      const planned = plannedFrom(task, fires);
      const plannedSince = planned > cut ? planned : cut;
      const reported = startsOf.get(lineOf(task)) ?? [];
      const sides = bySide(reported, task.handovers);
      return { id: lineOf(task), task, schedule, fires, plannedSince, starts: sides.cron, reported, sides };
    });
    const compared = compareHost(lines, { now });
    all.push(
      ...compared.map((line, index) => viewOf(line, lines[index], { cutover: cutoverOf.get(line.id) ?? null, now })),
    );
  }
  return all;
}

function viewOf(
  compared: LineComparison,
  of: { task: Task; reported: readonly ReportedStart[]; plannedSince: Date; sides: StartsBySide } | undefined,
  { cutover, now }: { cutover: Cutover | null; now: Date },
): ShadowedLine {
  if (!of) throw new Error(`line ${compared.id} was not asked for`);
  const { task, reported, plannedSince, sides } = of;
  const line = withSides(compared, sides);
  return {
    ...line,
    ...textOf(task),
    taskId: task.id,
    source: nameOf(task),
    meaning: scheduleWords(task.definition),
    comparedSince: reported[0] ? later(reported[0].startedAt, plannedSince) : null,
    hosts: [...new Set(reported.map(({ host }) => host))],
    lastStartedAt: reported.findLast(({ leftToFleet }) => !leftToFleet)?.startedAt ?? null,
    side: sideAt(task.handovers, now),
    cutover,
    state: line.unexplained > 0 ? 'differs' : reported.length === 0 ? 'silent' : 'agrees',
  };
}

/** What the crontab says in its line. */
function textOf({
  name,
  definition: { schedule, handler },
}: Task): Pick<ShadowedLine, 'task' | 'schedule' | 'command' | 'user'> {
  const { shell } = handlerFacts(handler);
  return {
    task: name,
    schedule: schedule.kind === 'cron' ? schedule.expression : schedule.kind,
    command: maskCommand(shell?.command || handler.type),
    user: shell?.user || null,
  };
}

const later = (one: Date, other: Date): Date => (one > other ? one : other);

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
