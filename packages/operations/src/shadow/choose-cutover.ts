import { briefly, EscapementError, MINUTE } from '@escapement/core';
import { nextFire, type Schedule, zoneChanges } from '@escapement/core/schedule';
import { cutoverInstant, type Side, sideAt } from '@escapement/core/shadow';
import type { Cutover, ReportedStart, Task } from '@escapement/store';
import { lineOf, openCutover, scheduleOf } from './line-tasks.ts';

/** So many fires may have no report, of those that are past for so long: a host may have been down. */
const MAX_UNREPORTED = 2;
const UNHEARD_MS = 15 * MINUTE;

export interface LineAsked {
  task: Task;
  /** All tasks of that line: there should be one. */
  tasks: readonly Task[];
  cutovers: readonly Cutover[];
  /** The latest starts that hosts have told of, the first one first. */
  starts: readonly ReportedStart[];
  to: Side;
  at: Date | undefined;
  now: Date;
}

/** What is proposed for a line. */
export interface ChosenCutover {
  line: string;
  task: string;
  host: string;
  to: Side;
  at: Date;
  /** The last fire of the side before, and the first one of the side from then on. */
  after: Date;
  before: Date;
  /** cron runs the line at this moment: that goes on, and may overlap with a run of the fleet. */
  isRunning: boolean;
}

/** The instant at which a line changes sides, and the host that is asked. Throws, with what to do, where it cannot. Pure. */
export function chooseCutover(asked: LineAsked): ChosenCutover {
  const { task, to, at, now, starts } = asked;
  const line = lineOf(task);
  refuseState(asked, line);
  const host = hostOf(starts, line);
  const schedule = scheduleOf(task);
  const next = (after: Date) => nextFire(schedule, after);
  refuseSilent(line, { host, last: starts.at(-1), now, next });
  const lastAt = task.handovers.at(-1)?.at;
  const from = lastAt && lastAt > now ? lastAt : now;
  const instant = cutoverInstant({ next, now: from, asked: at, changes: changesOf(schedule) });
  if ('refused' in instant)
    throw instant.refused === 'soon'
      ? refusal(line, `${host} is not heard before ${at?.toISOString()}`, 'give a later instant, or none')
      : refusal(
          line,
          'no instant lies between two fires that are to come',
          'take it out of the crontab, and the task out of the shadow: `escapement tasks edit NAME --unset shadow`',
        );
  const last = starts.at(-1);
  const isRunning = last !== undefined && last.endedAt === null && !last.leftToFleet;
  return { line, task: task.name, host, to, ...instant, isRunning };
}

function refuseState({ task, tasks, cutovers, to, now }: LineAsked, line: string): void {
  if (tasks.length > 1)
    throw refusal(line, `${tasks.length} tasks are of it: ${briefly(tasks.map(({ name }) => name))}`, 'leave one');
  const { schedule, runOn } = task.definition;
  if (schedule.maxRuns !== undefined || runOn)
    throw refusal(
      line,
      `${task.name} ends after so many runs, or runs on each worker: cron does neither`,
      'take that away first',
    );
  const open = cutovers.find(({ state }) => state === 'proposed');
  if (open) throw openCutover(open, `line ${line} has a cut-over already`);
  const side = sideAt(task.handovers, task.handovers.at(-1)?.at ?? now);
  if (side === to)
    throw refusal(
      line,
      to === 'fleet' ? 'the fleet has it, or will have it' : 'cron has it',
      '`escapement shadow status` shows who runs what',
    );
}

/** A line that several hosts report would be run once, by the fleet. */
function hostOf(starts: readonly ReportedStart[], line: string): string {
  const hosts = [...new Set(starts.map(({ host }) => host))];
  const [host, ...others] = hosts;
  if (host === undefined)
    throw refusal(
      line,
      'no host has told of a start of it',
      '`escapement shadow patch` on its host; `escapement shadow status` shows what is heard',
    );
  if (others.length > 0)
    throw refusal(
      line,
      `${hosts.join(' and ')} run it, and the fleet would run it once`,
      'import the crontab of each host under a --source of its own',
    );
  return host;
}

/** Of a host that is not heard it is not known which user, and which folder, starts the line. */
function refuseSilent(
  line: string,
  {
    host,
    last,
    now,
    next,
  }: { host: string; last: ReportedStart | undefined; now: Date; next: (after: Date) => Date | null },
): void {
  const until = now.getTime() - UNHEARD_MS;
  let at = last ? next(new Date(last.startedAt.getTime() + MINUTE)) : null;
  for (let missed = 0; at && at.getTime() < until; at = next(at))
    if (++missed > MAX_UNREPORTED)
      throw refusal(
        line,
        `${host} has told of no start of it since ${last?.startedAt.toISOString()}`,
        `\`escapement report --send\` on ${host} says why`,
      );
}

function changesOf({ spec }: Schedule): (span: { from: Date; to: Date }) => boolean {
  const timeZone = 'timeZone' in spec ? spec.timeZone : undefined;
  return (span) => timeZone !== undefined && zoneChanges(timeZone, span).length > 0;
}

function refusal(line: string, why: string, fix: string): EscapementError {
  return new EscapementError('no_cutover', `line ${line} cannot change sides: ${why}`, { fix });
}
