import { EscapementError } from '@escapement/core';
import { repeats } from '../once.ts';

/** A label more, of an option that may be repeated: `team=shop`. Throws `bad_label`. */
export const readLabel = repeats((text: string, before: Record<string, string>): Record<string, string> => {
  const at = text.indexOf('=');
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new EscapementError('bad_label', `--label is "${text}"`, { fix: 'give name=value, as in team=shop' });
});
