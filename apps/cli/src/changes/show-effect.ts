import type { AnswerOf } from '@escapement/api/calls';
import type { previewTaskChange } from '@escapement/api/routes';
import type { FireCount } from '@escapement/core/schedule';
import { counted, inZone } from '../output/wording.ts';

/** What saving a task would change, or has changed. */
export type TaskEffect = AnswerOf<typeof previewTaskChange>['effect'];

/** What a change does, in one line. */
export function effectLine(effect: TaskEffect, days: number): string {
  const parts = effect.changed.length > 0 ? ` (${effect.changed.join(', ')})` : '';
  return `${effect.action} ${effect.name}${parts}: ${firesWords(effect, days)}`;
}

function firesWords(effect: TaskEffect, days: number): string {
  const { fires, schedule, action, next, passed, timeZone } = effect;
  if (passed) return `its date, ${inZone(passed, timeZone)}, has passed: it runs at once`;
  const changes = [
    { count: fires.added.count, what: 'added' },
    { count: fires.removed.count, what: 'removed' },
    { count: fires.moved.count, what: 'moved' },
  ].filter(({ count }) => count > 0);
  const time = days === 1 ? 'in the next day' : `in the next ${days} days`;
  if (changes.length > 0) {
    const words = changes.map(({ count, what }, index) => `${index === 0 ? counted(count, 'fire') : count} ${what}`);
    return `${words.join(', ')} ${timeOf(effect, time)}`;
  }
  if (action === 'delete') return `it had no fire ${time}`;
  if (schedule === 'manual') return 'no schedule, it runs when it is triggered';
  if (schedule === 'fixed-delay') return 'each run is due after the end of the one before';
  if (fires.kept > 0) return `its ${counted(fires.kept, 'fire')} ${timeOf(effect, time)} stay`;
  return next ? `no fire ${time}, the first one is ${inZone(next, timeZone)}` : 'it never fires';
}

/** The time in which fires were counted: of a dense schedule only its beginning. */
function timeOf({ fires, timeZone }: TaskEffect, time: string): string {
  return fires.truncated ? `until ${inZone(fires.comparedTo, timeZone)}, and more ${time}` : time;
}

/** What a change does: fires added, removed and moved, the next changes of the clock, and what may not be meant. */
export function effectLines(effect: TaskEffect, days: number): string[] {
  const at = (instant: Date) => inZone(instant, effect.timeZone);
  const { added, removed, moved, kept } = effect.fires;
  return [
    effectLine(effect, days),
    ...listed(effect, { fires: added, what: 'added' }, (each) => `+ ${at(each)}`),
    ...listed(effect, { fires: removed, what: 'removed' }, (each) => `- ${at(each)}`),
    ...listed(effect, { fires: moved, what: 'moved' }, ({ from, to }) => `~ ${at(from)} -> ${at(to)}`),
    ...(kept > 0 && added.count + removed.count + moved.count > 0
      ? [`  = ${effect.fires.truncated ? 'at least ' : ''}${kept} stay`]
      : []),
    ...clockLines(effect),
    ...effect.lints.map(({ message, fix }) => `  warning: ${message}${fix ? `; ${fix}` : ''}`),
  ];
}

/** What the clock's next changes do, whether they hit a fire or not. */
function clockLines({ clockChanges, timeZone, action }: TaskEffect): string[] {
  if (!clockChanges || action === 'delete') return [];
  if (clockChanges.length === 0) return [`  clock change, none ahead in ${timeZone}`];
  return clockChanges.map(({ message, fix }) => `  clock change, ${message}${fix ? ` (${fix})` : ''}`);
}

function listed<Fire>(
  { fires: { truncated } }: TaskEffect,
  { fires, what }: { fires: FireCount<Fire>; what: string },
  lineOf: (fire: Fire) => string,
): string[] {
  const rest = fires.count - fires.first.length;
  const more = truncated ? `at least ${rest}` : String(rest);
  return [...fires.first.map((fire) => `  ${lineOf(fire)}`), ...(rest > 0 ? [`  and ${more} more ${what}`] : [])];
}
