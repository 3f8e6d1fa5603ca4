import { inUtc } from './words.ts';

/** What a person has changed about a task, and a save would change again. */
export interface UndoneEdit {
  version: number;
  by: string;
  at: Date;
  note: string | null;
  /** Top-level parts of the definition. */
  fields: string[];
}

/** That a file takes back what a person has edited. */
export function undoesWords({ by, at, fields, note, version }: UndoneEdit, planned: boolean): string {
  const why = note === null ? '' : `: "${note}"`;
  return `warning: ${planned ? 'would undo' : 'undid'} what ${by} edited at ${inUtc(at)} (${fields.join(', ')})${why}; version ${version} has it`;
}
