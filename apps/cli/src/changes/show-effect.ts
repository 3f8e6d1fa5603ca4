import type { TaskEffect } from '@escapement/engine';
import { counted, inZone } from '../output/wording.ts';

/** Fires of each kind that are shown; the others are counted. */
const SHOWN = 5;

/** What a change does, in one line. */
export function effectLine(effect: TaskEffect, days: number): string {
  const { added, removed, moved } = effect.fires;
  const parts = effect.changed.length > 0 ? ` (${effect.changed.join(', ')})` : '';
  const more = effect.fires.truncated ? ', of the fires compared' : '';
  return `${effect.action} ${effect.name}${parts}: ${added.length} added, ${removed.length} removed, ${moved.length} moved in ${counted(days, 'day')}${more}`;
}

/** What a change does: fires added, removed and moved, the next changes of the clock, and what may not be meant. */
export function effectLines(effect: TaskEffect, days: number): string[] {
  const at = (instant: Date) => inZone(instant, effect.timeZone);
  const { added, removed, moved, kept } = effect.fires;
  return [
    effectLine(effect, days),
    ...listed(
      added.map((each) => `+ ${at(each)}`),
      'added',
    ),
    ...listed(
      removed.map((each) => `- ${at(each)}`),
      'removed',
    ),
    ...listed(
      moved.map((each) => `~ ${at(each.from)} -> ${at(each.to)}`),
      'moved',
    ),
    ...(kept > 0 ? [`  = ${kept} stay`] : []),
    ...effect.clockChanges.map(({ message }) => `  clock change, ${message}`),
    ...effect.lints.map(({ message, fix }) => `  warning: ${message}${fix ? `; ${fix}` : ''}`),
  ];
}

function listed(lines: readonly string[], what: string): string[] {
  const rest = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN).map((line) => `  ${line}`), ...(rest > 0 ? [`  and ${rest} more ${what}`] : [])];
}
