import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import type { Change } from './change.ts';

/** Writes all of the changes, or none. Throws `cannot_write`, with everything as it was before. */
export function writeAll(root: string, changes: readonly Change[]): void {
  const undo: (() => void)[] = [];
  try {
    for (const change of changes) undo.push(...writeOne(root, change));
  } catch (cause) {
    for (const step of undo.toReversed()) step();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EscapementError('cannot_write', `${root} cannot be written: ${why}`, {
      cause,
      fix: 'let your user write there; nothing was changed',
    });
  }
}

/** What takes it back again. */
function writeOne(root: string, { file, content, mode, isNew }: Change): (() => void)[] {
  const target = path.join(root, file);
  const folder = path.dirname(target);
  const undo: (() => void)[] = [];
  if (!existsSync(folder)) {
    // One level: in a file system like /proc, Node never comes back from a recursive call.
    mkdirSync(folder);
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
  }
  if (isNew) {
    // Also where a link stands in its place nothing is written through it.
    writeFileSync(target, content, { flag: 'wx', ...(mode === undefined ? {} : { mode }) });
    return [...undo, () => rmSync(target, { force: true })];
  }
  const before = existsSync(target) ? readFileSync(target) : undefined;
  const { mode: kept } = statSync(target);
  writeFileSync(target, content);
  return [...undo, () => before && writeFileSync(target, before, { mode: kept })];
}
