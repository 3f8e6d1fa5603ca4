import { type By, counted, DAY, EscapementError, groupedBy, nearest } from '@escapement/core';
import type { Side } from '@escapement/core/shadow';
import {
  cronStarts,
  cutoversOf,
  type Database,
  findTaskById,
  pingDatabase,
  proposeCutover,
  type Task,
} from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { whyTaskWaits } from '../unserved.ts';
import { type ChosenCutover, chooseCutover } from './choose-cutover.ts';
import { lineOf, tasksOfLines } from './line-tasks.ts';
import { planAt } from './plan-at.ts';
import { type ShadowedLine, shadowStatus } from './shadow-status.ts';

/** Times it starts over because planners or other people changed the task meanwhile. */
const MAX_RACES = 20;
/** So far back hosts are looked for, and differences. */
const LOOKED_BACK_MS = 30 * DAY;
/** A line that takes part unasked has agreed so often at least. */
const ENOUGH_AGREED = 3;
const MOST_STARTS = 1000;

export interface CutoverWanted {
  to: Side;
  /** These lines; `green`: those whose differences are all explained, and that have agreed often enough. */
  lines: readonly string[] | 'green';
  /** Of this crontab, or of the crontabs of this host. Default: of all. */
  source?: string | undefined;
  /** In the gap of this instant. Default: in the first one that will do. */
  at?: Date | undefined;
  /** A worker that has not sent a heartbeat for so long is dead. */
  deadMs: number;
  /** Nothing is written. */
  dryRun: boolean;
}

/** What is proposed, and whether the fleet could run it now. */
export interface PlannedCutover extends ChosenCutover {
  /** Why no living worker could run it, and what to do; null: one could, or cron gets the line. */
  waits: { reason: string; advice: string } | null;
}

export interface CutoverPlan {
  items: PlannedCutover[];
  /** Green ones were asked for, and these are not, or cannot. */
  left: { line: string; task: string; why: string }[];
}

/**
 * Proposes to the hosts of lines that the other side runs them from an instant on. Of lines that are named all are checked before the first is
 * written. Throws `unknown_line`, `no_cutover`, `open_cutover`, `unknown_source`.
 */
export async function cutOver(db: Database, wanted: CutoverWanted, by: By): Promise<CutoverPlan> {
  const tasks = await tasksOfLines(db, wanted.source);
  const ofLines = groupedBy(wanted.source === undefined ? tasks : await tasksOfLines(db, undefined), lineOf);
  const choose = (task: Task) => chooseFor(db, task, { ...wanted, tasks: ofLines.get(lineOf(task)) ?? [] });
  const { chosen, left } =
    wanted.lines === 'green' ? await greenOnes(db, tasks, wanted) : { chosen: named(tasks, wanted.lines), left: [] };
  for (const { name } of chosen) await permitOnTask(db, by, 'edit', { name, action: 'cut over' });
  const possible: { task: Task; item: PlannedCutover }[] = [];
  for (const task of chosen)
    try {
      const item = { ...(await choose(task)), waits: await whyFleetCannot(db, task, wanted) };
      if (wanted.lines === 'green') refuseWaiting(item);
      possible.push({ task, item });
    } catch (error) {
      if (wanted.lines !== 'green' || !(error instanceof EscapementError)) throw error;
      left.push({ line: lineOf(task), task: task.name, why: error.message });
    }
  if (wanted.dryRun) return { items: possible.map(({ item }) => item), left };
  const items: PlannedCutover[] = [];
  for (const { task, item } of possible)
    items.push({ ...(await propose(db, { task, choose }, by)), waits: item.waits });
  return { items, left };
}

/** Null: cron gets the line, or a worker that lives could run it. */
async function whyFleetCannot(
  db: Database,
  { name }: Task,
  { to, deadMs }: CutoverWanted,
): Promise<PlannedCutover['waits']> {
  const found = to === 'fleet' ? await whyTaskWaits(db, name, { deadMs }) : null;
  return found && { reason: found.reason, advice: found.advice };
}

/** Who names a line may know of a worker that comes in time; unasked it stays with cron. */
function refuseWaiting({ waits, line }: PlannedCutover): void {
  if (waits)
    throw new EscapementError('no_cutover', `the fleet could not run it: ${waits.reason}; ${waits.advice}`, {
      fix: `or name the line: \`escapement shadow cutover ${line}\``,
    });
}

function named(tasks: readonly Task[], lines: readonly string[]): Task[] {
  const byLine = new Map(tasks.map((task) => [lineOf(task), task]));
  return [...new Set(lines)].map((line) => byLine.get(line) ?? unknownLine(line, [...byLine.keys()]));
}

function unknownLine(line: string, known: readonly string[]): never {
  const near = nearest(line, new Set(known));
  throw new EscapementError('unknown_line', `no task is of a line "${line.slice(0, 100)}" of a crontab`, {
    fix: near ? `did you mean ${near}?` : '`escapement shadow status` shows the lines',
  });
}

async function greenOnes(db: Database, tasks: readonly Task[], { source }: CutoverWanted) {
  const { now } = await pingDatabase(db);
  const status = await shadowStatus(db, { source, since: new Date(now.getTime() - LOOKED_BACK_MS) }, now);
  const byLine = new Map(status.map((each) => [each.id, each]));
  const chosen: Task[] = [];
  const left: CutoverPlan['left'] = [];
  for (const task of tasks) {
    const why = whyNotGreen(byLine.get(lineOf(task)));
    if (why === undefined) chosen.push(task);
    else left.push({ line: lineOf(task), task: task.name, why });
  }
  return { chosen, left };
}

function whyNotGreen(line: ShadowedLine | undefined): string | undefined {
  if (!line) return 'nothing is known of it';
  if (line.side !== 'cron') return 'cron does not run it any more, or perhaps not';
  if (line.unexplained > 0) return `${counted(line.unexplained, 'difference')} not explained`;
  if (line.agreed >= ENOUGH_AGREED) return undefined;
  return `it has agreed ${counted(line.agreed, 'time')}, and ${ENOUGH_AGREED} are wanted: name it, if that is enough`;
}

async function chooseFor(
  db: Database,
  task: Task,
  { to, at, tasks }: Pick<CutoverWanted, 'to' | 'at'> & { tasks: readonly Task[] },
): Promise<ChosenCutover> {
  const line = lineOf(task);
  const { now } = await pingDatabase(db);
  const [cutovers, starts] = await Promise.all([
    cutoversOf(db, [line]),
    cronStarts(db, [line], { since: new Date(now.getTime() - 3 * LOOKED_BACK_MS), limit: MOST_STARTS }),
  ]);
  const recent = starts.filter(({ startedAt }) => startedAt.getTime() >= now.getTime() - LOOKED_BACK_MS);
  const known = recent.length > 0 ? recent : starts;
  return chooseCutover({ task, tasks, cutovers, starts: known, to, at, now });
}

async function propose(
  db: Database,
  { task: asked, choose }: { task: Task; choose: (task: Task) => Promise<ChosenCutover> },
  by: By,
): Promise<ChosenCutover> {
  for (let race = 0; race < MAX_RACES; race++) {
    const task = await findTaskById(db, asked.id);
    if (!task || lineOf(task) !== lineOf(asked)) return unknownLine(lineOf(asked), []);
    const chosen = await choose(task);
    const seen = await planAt(db, task);
    if (seen && (await proposeCutover(db, chosen, seen, by))) return chosen;
  }
  throw new EscapementError('save_races', `task ${asked.name} kept changing while its line was cut over`, {
    fix: 'try again',
  });
}
