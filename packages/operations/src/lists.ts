import { admitJson, type By, EscapementError, type Json, LIST_PAGE_ITEMS, listName, nearest } from '@escapement/core';
import { addToList as addPage, type Database, dropWorkList, workLists } from '@escapement/store';
import { permitInNamespace } from './rights/permit.ts';

/**
 * Adds items to the end of a list, which is made by it. Of many items, a page at a time. Throws `bad_list_name`, `not_json`,
 * `json_too_large` before the first is added.
 */
export async function addToList(db: Database, name: string, items: readonly Json[], by: By): Promise<void> {
  await permitOnList(db, by, { name, action: 'add' });
  if (!listName.safeParse(name).success)
    throw new EscapementError('bad_list_name', `"${name}" is not the name of a list`, {
      fix: 'use 1 to 200 letters, digits and ._:@/-',
    });
  for (const [index, item] of items.entries()) admitJson(item, `item ${index + 1}`);
  for (let at = 0; at < items.length; at += LIST_PAGE_ITEMS)
    await addPage(db, name, items.slice(at, at + LIST_PAGE_ITEMS), by);
}

/**
 * Deletes the items of a list that no run has taken, and the list, if none of it is left. Returns how many were deleted, and
 * how many runs have taken. Throws `unknown_list`.
 */
export async function dropList(db: Database, name: string, by: By): Promise<{ dropped: number; taken: number }> {
  await permitOnList(db, by, { name, action: 'drop' });
  const dropped = await dropWorkList(db, name, by);
  if (dropped) return dropped;
  throw await unknownList(db, name);
}

async function permitOnList(db: Database, by: By, { name, action }: { name: string; action: string }): Promise<void> {
  await permitInNamespace(db, by, 'write-data', { action, subject: { list: name }, what: `list ${name}` });
}

/** There is no such list; the nearest of those that are there is suggested. */
export async function unknownList(db: Database, name: string): Promise<EscapementError> {
  const near = nearest(
    name,
    (await workLists(db)).map((list) => list.name),
  );
  return new EscapementError('unknown_list', `there is no list "${name}"`, {
    fix: near ? `did you mean ${near}?` : 'see `escapement lists show`',
  });
}
