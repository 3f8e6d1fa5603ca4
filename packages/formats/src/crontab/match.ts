import { isDeepStrictEqual } from 'node:util';
import { handlerFacts, type TaskDefinition, type TaskInput } from '@escapement/core';
import { identityOf } from './task-name.ts';

type Scheduled = Pick<TaskInput, 'schedule' | 'handler' | 'onFleetStart'>;

/** A task as far as the importer looks at it. */
export interface ExistingTask {
  name: string;
  source: string;
  definition: TaskDefinition;
}

/**
 * Finds for each wanted task the one it was before, so that an edited line is an update and keeps its history: first
 * the same command (on the same schedule, then on another), then a similar command, then a line that alone kept its schedule.
 * Pure; each existing task is given once at most.
 */
export function matchTasks(
  wanted: readonly Scheduled[],
  existing: readonly ExistingTask[],
): (ExistingTask | undefined)[] {
  const matching = new Matching(wanted, existing);
  matching.pair((one, other) => sameIdentity(one, other) && sameSchedule(one, other));
  matching.pair(sameIdentity);
  const sameFile = existing.length === 1 || matching.hasPairs;
  matching.pairMostSimilar();
  if (sameFile) matching.pairLonely();
  return matching.result();
}

class Matching {
  private readonly found: (ExistingTask | undefined)[];
  private readonly wanted: readonly Scheduled[];
  private free: ExistingTask[];

  constructor(wanted: readonly Scheduled[], existing: readonly ExistingTask[]) {
    this.wanted = wanted;
    this.found = wanted.map(() => undefined);
    this.free = [...existing];
  }

  get hasPairs(): boolean {
    return this.found.some(Boolean);
  }

  result(): (ExistingTask | undefined)[] {
    return this.found;
  }

  pair(fits: (one: Scheduled, other: Scheduled) => boolean): void {
    for (const [index, each] of this.open()) {
      const match = this.free.find(({ definition }) => fits(each, definition));
      if (match) this.take(index, match);
    }
  }

  pairMostSimilar(): void {
    const candidates = this.open().flatMap(([index, each]) =>
      this.free.map((task) => ({ index, task, likeness: likeness(each, task.definition) })),
    );
    for (const { index, task } of candidates.filter((each) => each.likeness > 0).sort(byLikeness))
      if (!this.found[index] && this.free.includes(task)) this.take(index, task);
  }

  /** Where one line and one task are left on a schedule, the line's command was replaced. */
  pairLonely(): void {
    for (const [index, each] of this.open()) {
      const tasks = this.free.filter(({ definition }) => sameSchedule(each, definition));
      const lines = this.open().filter(([, other]) => sameSchedule(each, other));
      const [task] = tasks;
      if (task && tasks.length === 1 && lines.length === 1) this.take(index, task);
    }
  }

  private open(): [number, Scheduled][] {
    return [...this.wanted.entries()].filter(([index]) => !this.found[index]);
  }

  private take(index: number, task: ExistingTask): void {
    this.found[index] = task;
    this.free = this.free.filter((other) => other !== task);
  }
}

const byLikeness = (one: { likeness: number }, other: { likeness: number }) => other.likeness - one.likeness;

export function sameSchedule(one: Scheduled, other: Scheduled): boolean {
  return (
    isDeepStrictEqual(one.schedule, other.schedule) && (one.onFleetStart ?? false) === (other.onFleetStart ?? false)
  );
}

function sameIdentity(one: Scheduled, other: Scheduled): boolean {
  const [key, otherKey] = [keyOf(one), keyOf(other)];
  return key !== undefined && key === otherKey;
}

/** Equal for tasks that do the same thing as the same user; undefined: no command of a crontab. */
export function keyOf({ handler }: Scheduled): string | undefined {
  const { shell } = handlerFacts(handler);
  return shell?.command === undefined
    ? undefined
    : identityOf({ command: shell.command, stdin: shell.stdin, user: shell.user });
}

/** An edited command shares most of its text; on the same schedule less of it is enough. */
const ENOUGH = 0.75;
const ENOUGH_ON_SAME_SCHEDULE = 0.5;

/** 0: not the same line; else the share of common text, 1 more on the same schedule. */
function likeness(one: Scheduled, other: Scheduled): number {
  const [shell, otherShell] = [handlerFacts(one.handler).shell, handlerFacts(other.handler).shell];
  if (!shell || !otherShell || shell.user !== otherShell.user) return 0;
  const share = commonText(shell.command ?? '', otherShell.command ?? '');
  if (sameSchedule(one, other)) return share >= ENOUGH_ON_SAME_SCHEDULE ? 1 + share : 0;
  return share >= ENOUGH ? share : 0;
}

/** Dice's coefficient over pairs of characters: 0 to 1. */
function commonText(one: string, other: string): number {
  const [pairs, otherPairs] = [pairsOf(one), pairsOf(other)];
  const common = [...pairs].filter((pair) => otherPairs.has(pair)).length;
  return pairs.size + otherPairs.size === 0 ? 0 : (2 * common) / (pairs.size + otherPairs.size);
}

function pairsOf(text: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}
