import { HOUR, SECOND } from '../clock.ts';
import type { Pause } from '../plan/pause.ts';

/** Who runs a line of a crontab. */
export const SIDES = ['cron', 'fleet'] as const;
export type Side = (typeof SIDES)[number];

/** Whether the host of a line has taken a cut-over. */
export const CUTOVER_STATES = ['proposed', 'taken', 'refused'] as const;
export type CutoverState = (typeof CUTOVER_STATES)[number];
export type CutoverAnswer = Exclude<CutoverState, 'proposed'>;

/** From `at` on, itself included, the line is run by this side. */
export interface Handover {
  to: Side;
  at: Date;
  /** False: nobody knows yet whether its host has taken it. */
  isTaken: boolean;
  host: string;
}

/** What a host has answered, once and for all. */
export interface HostAnswer {
  /** Of the cut-over. */
  id: string;
  to: Side;
  at: Date;
  answer: CutoverAnswer;
  /** By the clock of the host. */
  answeredAt: Date;
}

/** A cut-over as the server proposes it. `settled`: what a person has said meanwhile in the host's place. */
export interface Proposal {
  id: string;
  line: string;
  to: Side;
  at: Date;
  settled: CutoverAnswer | null;
  /** By the clock of the server, when it asks. */
  now: Date;
}

/** A host takes an instant only if it is still so long ahead when it looks. Milliseconds. */
export const TAKING_MARGIN_MS = 5 * SECOND;
/** A host whose clock differs more from the server's, the time of the request included, refuses. A gap is a minute long at least. Milliseconds. */
const MOST_APART_MS = 15 * SECOND;

/** Who runs a line at an instant, by the cut-overs of the line in their order; none of those that were refused. */
export function sideAt(handovers: readonly Omit<Handover, 'host'>[], at: Date): Side | 'unknown' {
  const last = handovers.findLast((each) => each.at <= at);
  return last ? (last.isTaken ? last.to : 'unknown') : 'cron';
}

/** The side on which `report` is with a start: by what its host has taken. */
export function sideOfStart(answers: readonly HostAnswer[], startedAt: Date): Side {
  const taken = answers.filter(({ answer }) => answer === 'taken');
  const inOrder = taken.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return inOrder.findLast(({ at }) => at <= startedAt)?.to ?? 'cron';
}

/** What a host says to a proposal, by its own clock; what it has said before it says again. Pure. */
export function answerProposal(known: readonly HostAnswer[], proposal: Proposal, now: Date): HostAnswer {
  const before = known.find(({ id }) => id === proposal.id);
  if (before) return before;
  const { id, to, at, settled } = proposal;
  const isInTime = now.getTime() < at.getTime() - TAKING_MARGIN_MS;
  const agree = Math.abs(now.getTime() - proposal.now.getTime()) <= MOST_APART_MS;
  const answer = isInTime && agree && settled !== 'refused' ? 'taken' : 'refused';
  return { id, to, at, answer, answeredAt: now };
}

/** What becomes of what was held while nobody knew: the side that has it runs it. */
export function heldBecomes(to: Side, answer: CutoverAnswer): 'run' | 'skipped' {
  return (to === 'fleet') === (answer === 'taken') ? 'run' : 'skipped';
}

/** What the reason of a row begins with that is held until it is known who runs it. */
export const UNKNOWN_SIDE = 'not known whether cron runs it';

/** The times in which the fleet does not run a line, or may not yet, as pauses. */
export function restsOf(handovers: readonly Handover[]): Pause[] {
  const first = { fromAt: new Date(0), untilAt: handovers[0]?.at ?? null, note: null, shadow: true };
  const others = handovers.flatMap(({ to, at, isTaken, host }, index): Pause[] => {
    const span = { fromAt: at, untilAt: handovers[index + 1]?.at ?? null, note: null };
    if (!isTaken) return [{ ...span, held: `${UNKNOWN_SIDE}: ${host} has not answered the cut-over to ${to}` }];
    return to === 'cron' ? [{ ...span, shadow: true }] : [];
  });
  return [first, ...others];
}

/** What lies within three hours of a change of the clock crons start earlier or later than we do: twice that is far enough from it. */
const NEAR_CHANGE_MS = 6 * HOUR;

/** Gaps that are looked at: each minute of a day and a night. */
const MAX_GAPS = 2000;

/** So many fires come before the instant, and the host is heard at each of them. */
const FIRES_AHEAD = 2;

export interface CutoverQuestion {
  /** The fire of the line after an instant; null: none. */
  next: (after: Date) => Date | null;
  now: Date;
  /** In this gap between two fires, or in the next one that will do. Default: in the next one. */
  asked?: Date | undefined;
  /** Whether the clock of the line's zone changes in that time. */
  changes: (span: { from: Date; to: Date }) => boolean;
}

/** `over`: it does not fire again, or but once. `soon`: the host is not heard before. */
export type CutoverInstant = { at: Date; after: Date; before: Date } | { refused: 'over' | 'soon' };

/** The middle of a gap between two fires. Pure. */
export function cutoverInstant({ next, now, asked, changes }: CutoverQuestion): CutoverInstant {
  const first = next(now);
  if (!first) return { refused: 'over' };
  if (asked && asked <= first) return { refused: 'soon' };
  let after: Date | null = asked ? lastUpTo(asked, first, next) : first;
  for (let passed = asked ? FIRES_AHEAD : 1; after && passed < FIRES_AHEAD; passed++) after = next(after);
  for (let looked = 0; after && looked < MAX_GAPS; looked++) {
    const before = next(after);
    if (!before) break;
    const at = middleOf(after, before);
    const around = { from: new Date(at.getTime() - NEAR_CHANGE_MS), to: new Date(at.getTime() + NEAR_CHANGE_MS) };
    if (!changes(around)) return { at, after, before };
    after = before;
  }
  return { refused: 'over' };
}

function lastUpTo(asked: Date, first: Date, next: CutoverQuestion['next']): Date {
  let last = first;
  for (let at = next(last); at && at <= asked; at = next(at)) last = at;
  return last;
}

/** In whole seconds: people read it. */
function middleOf(after: Date, before: Date): Date {
  return new Date(Math.floor((after.getTime() + before.getTime()) / (2 * SECOND)) * SECOND);
}
