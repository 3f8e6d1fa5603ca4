import { refusals, type TaskDefinition, taskDefinition } from '@escapement/core';

export interface ReadableDefinition {
  definition: TaskDefinition;
  /** What of it cannot be read, in words; null: all can. */
  unreadable: string | null;
}

/** Stands for the handler and the schedule that cannot be read: it never runs by itself, and fails where somebody starts it. */
const NOTHING = { handler: { type: 'shell', command: 'exit 1' }, schedule: { kind: 'manual' } } as const;
const MAX_LENGTH = 500;

/**
 * A definition as far as this version can read it: whoever lists, edits or deletes tasks needs no more of one that something else than this
 * program has written. Fields that cannot be read are left out.
 */
export function readableDefinition(stored: unknown, name: string): ReadableDefinition {
  const whole = taskDefinition.safeParse(stored);
  if (whole.success) return { definition: whole.data, unreadable: null };
  const said = refusals(whole.error.issues, stored, { root: 'the task' }).join('; ').slice(0, MAX_LENGTH);
  const given = typeof stored === 'object' && stored !== null ? stored : {};
  const wrong = new Set(whole.error.issues.flatMap(namesOf));
  const kept = Object.fromEntries(Object.entries(given).filter(([field]) => !wrong.has(field)));
  const part = taskDefinition.safeParse({ ...NOTHING, ...kept, name });
  return {
    definition: part.success ? part.data : taskDefinition.parse({ ...NOTHING, name }),
    unreadable: `its definition cannot be read: ${said}; save it again`,
  };
}

function namesOf(issue: { code: string; path: PropertyKey[]; keys?: string[] }): PropertyKey[] {
  const [field] = issue.path;
  return field === undefined ? (issue.keys ?? []) : [field];
}
