import type { LabelSelector } from '../rights/labels.ts';
import { type Fields, only, readFields, selectorOf } from './fields.ts';

/** Which tasks: all that is given must be met. */
export interface TaskQuery {
  /** Their names, where `*` stands for anything: one of them. */
  names?: string[];
  labels?: LabelSelector;
  pool?: string;
  /** Their runs have this key. */
  key?: string;
}

const FIELDS: Fields<TaskQuery, null> = {
  task: ({ values }) => ({ names: values.map(({ text }) => text) }),
  label: (term) => ({ labels: selectorOf(term) }),
  pool: (term) => ({ pool: only(term).text }),
  key: (term) => ({ key: only(term).text }),
};

/**
 * Reads a query for tasks, with the terms of one for runs that a task has beforehand: `task:nightly-* label:team=shop pool:heavy key:eu`.
 * Throws `RunQueryError` (`bad_query`) with the place of what is wrong.
 */
export function parseTaskQuery(text: string): TaskQuery {
  return readFields(text, { what: 'tasks', fields: FIELDS, options: null });
}
