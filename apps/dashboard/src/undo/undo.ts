import { useSyncExternalStore } from 'react';
import { words } from '../words/index.ts';

export interface Undo {
  /** What was done. */
  done: string;
  /** Takes it back. Null: that is over, and `done` says how it went. */
  back: (() => Promise<unknown>) | null;
}

interface Doing {
  action: Promise<unknown>;
  done: string;
  back: () => Promise<unknown>;
  onDone: () => void;
}

const { shell: text } = words;
const listeners = new Set<() => void>();
let current: Undo | null = null;

function show(next: Undo | null): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

/** Once an act is done, one line says so, and takes it back. Where it failed, whoever asked for it tells. */
export async function withUndo({ action, done, back, onDone }: Doing): Promise<void> {
  try {
    await action;
  } catch {
    return;
  }
  onDone();
  show({ done, back });
}

/** Takes back what was done last. */
export async function takeBack({ back }: Undo): Promise<void> {
  if (back === null) return;
  show({ done: text.undoing, back: null });
  try {
    await back();
    show({ done: text.undone, back: null });
  } catch (error) {
    show({ done: text.notUndone(error instanceof Error ? error.message : String(error)), back: null });
  }
}

/** Something else is done, or it has been there for long. */
export function forgetUndo(): void {
  show(null);
}

export function useUndo(): Undo | null {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
