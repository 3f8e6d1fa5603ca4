import { admitJson, type HandlerCall } from '@escapement/core';
import { addToListFor, type Database, type TakenItem, takeItem } from '@escapement/store';
import type { Caller } from '../calls/caller.ts';

export function answerTake(
  db: Database,
  call: Extract<HandlerCall, { call: 'list_take' }>,
  { run }: Caller,
): Promise<TakenItem | null> {
  return takeItem(db, run, call);
}

export async function answerListAdd(
  db: Database,
  call: Extract<HandlerCall, { call: 'list_add' }>,
  { run }: Caller,
): Promise<number> {
  for (const item of call.items) admitJson(item, `an item for list ${call.list}`);
  return await addToListFor(db, run, call);
}
