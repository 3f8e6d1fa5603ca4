import { storableText } from './json.ts';

/** How far a run says it is. */
export interface Progress {
  done: number;
  /** Null: not said. */
  total: number | null;
  note: string | null;
}

/** Longest note, in UTF-16 units. */
const MAX_NOTE = 500;

/** A report as the ledger keeps it. Null where `done` is no finite number: nothing worth showing, nothing to fail for. */
export function admitProgress(done: unknown, total?: unknown, note?: unknown): Progress | null {
  if (typeof done !== 'number' || !Number.isFinite(done)) return null;
  return {
    done,
    total: typeof total === 'number' && Number.isFinite(total) ? total : null,
    note: typeof note === 'string' && note !== '' ? storableText(note.slice(0, MAX_NOTE)) : null,
  };
}

/** Progress for people: `3 of 10 (30%), copying`. */
export function formatProgress({ done, total, note }: Progress): string {
  const share = total !== null && total > 0 ? ` (${Math.floor((100 * done) / total)}%)` : '';
  return `${done}${total === null ? '' : ` of ${total}${share}`}${note === null ? '' : `, ${note}`}`;
}
