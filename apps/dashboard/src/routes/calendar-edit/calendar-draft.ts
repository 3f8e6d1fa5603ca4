import type { Problem } from '../../api/problem.ts';
import { type Draft, partOf, withPart } from '../edit/draft.ts';

export const newCalendar = (timeZone: string): Draft => ({
  timeZone,
  entries: [{ name: 'weekend', weekdays: ['SAT', 'SUN'] }],
});

/** The entries of a draft, of which none may be one yet. */
export function entriesOf(draft: Draft): readonly Draft[] {
  const entries = partOf(draft, ['entries']);
  if (!Array.isArray(entries)) return [];
  return entries.map((each: unknown) => (typeof each === 'object' && each !== null ? (each as Draft) : {}));
}

export const withEntries = (draft: Draft, entries: readonly Draft[]): Draft => withPart(draft, ['entries'], entries);

/** Texts at a place of an entry. */
export function textsAt(entry: Draft, name: string): readonly string[] {
  const value = partOf(entry, [name]);
  return Array.isArray(value) ? value.map(String) : [];
}

/** `2026-12-25, 12-26`: what is typed between commas and spaces. */
export function textsOf(typed: string): string[] {
  return typed.split(/[\s,;]+/).filter(Boolean);
}

/** What the server says is wrong at a place or below it; undefined: nothing. */
export function wrongAt(problem: Problem | undefined, place: string): string | undefined {
  const wrong = (problem?.errors ?? []).filter(({ path }) => path === place || path.startsWith(`${place}.`));
  return wrong.length === 0 ? undefined : wrong.map(({ message }) => message).join('; ');
}

/** What is wrong with a value itself, and not with a part of it. */
export function wrongWith(problem: Problem | undefined, place: string): string | undefined {
  const wrong = (problem?.errors ?? []).filter(({ path }) => path === place);
  return wrong.length === 0 ? undefined : wrong.map(({ message }) => message).join('; ');
}
