import { addWorkItems, dropWorkList, listWorkItems, listWorkLists } from '@escapement/api/routes';
import { admitJson, EscapementError, type Json, parseJson } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount, readUtf8 } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';

/** `lists add`, `show` and `drop`. */
export function addLists(program: Command, context: Context): void {
  const lists = program.command('lists').description('work-lists: items that runs take one after the other');
  lists
    .command('add')
    .description('add items to the end of a list')
    .argument('<name>', 'name of the list')
    .argument('<file>', 'one JSON value a line; - for standard input')
    .action((name: string, file: string) => add(name, file, context));
  lists
    .command('show')
    .description('all lists, or the first items of one')
    .argument('[name]', 'name of the list')
    .option('--limit <n>', 'at most so many items, 1 to 10000', readCount('--limit', 1, 10_000), 50)
    .action((name: string | undefined, { limit }: { limit: number }) =>
      name === undefined ? showAll(context) : showOne(name, limit, context),
    );
  lists
    .command('drop')
    .description('delete the items of a list that no run has taken')
    .argument('<name>', 'name of the list')
    .action((name: string) => drop(name, context));
}

async function add(name: string, file: string, context: Context): Promise<void> {
  const items = itemsOf(await readUtf8(file, context.stdin), file);
  let added = 0;
  try {
    await withFleet(context, async (fleet) => {
      for (const page of pagesOf(items)) {
        await fleet.call(addWorkItems, { query: { list: name }, body: { items: page } });
        added += page.length;
      }
    });
  } catch (error) {
    if (added > 0) context.output.note(`the first ${added} of ${items.length} items are in ${name} already`);
    throw error;
  }
  context.output.result({ name, added: items.length }, () => [`${counted(items.length, 'item')} added to ${name}`]);
}

/** Of one request. */
const PAGE_ITEMS = 10_000;
const PAGE_BYTES = 500_000;

/** Items in their order, as many at once as a request takes; one page where there are none. */
function pagesOf(items: readonly Json[]): Json[][] {
  const pages: Json[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    const last = pages.at(-1) ?? [];
    if (last.length > 0 && (last.length === PAGE_ITEMS || bytes > PAGE_BYTES)) {
      pages.push([item]);
      bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    } else last.push(item);
  }
  return pages;
}

/** All of them, before the first is added. Throws `bad_json`, naming the line. */
function itemsOf(text: string, file: string): Json[] {
  const items: Json[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${file}, line ${index + 1}`;
    items.push(admitJson(parseLine(line, where), where));
  }
  return items;
}

function parseLine(line: string, where: string): unknown {
  try {
    return parseJson(line, where);
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EscapementError('bad_json', `${where} is not JSON: ${why}`, { fix: 'write one JSON value a line' });
  }
}

async function showAll(context: Context): Promise<void> {
  const { output } = context;
  const { items: lists } = await withFleet(context, (fleet) => fleet.call(listWorkLists, {}));
  output.table(lists, lists, [
    { title: 'LIST', value: ({ name }) => name },
    { title: 'WAITING', value: ({ waiting }) => String(waiting), align: 'right' },
    { title: 'TAKEN', value: ({ taken }) => String(taken), align: 'right' },
    { title: 'ADDED', value: ({ added }) => String(added), align: 'right' },
  ]);
  if (lists.length === 0) output.note('there are no lists; see `escapement lists add --help`');
}

async function showOne(name: string, limit: number, context: Context): Promise<void> {
  const { output } = context;
  const { items } = await withFleet(context, (fleet) => fleet.call(listWorkItems, { query: { list: name, limit } }));
  output.table(items, items, [
    { title: 'PLACE', value: ({ place }) => String(place), align: 'right' },
    { title: 'TAKEN BY', value: ({ runId }) => runId ?? '-' },
    { title: 'SINCE', value: ({ takenAt }) => (takenAt ? inUtc(takenAt) : '-') },
    { title: 'ITEM', value: ({ item }) => JSON.stringify(item), wraps: true },
  ]);
  if (items.length === 0) output.note(`nothing is left of ${name}`);
  else if (items.length === limit) output.note(`only the first ${limit}; more: --limit`);
}

async function drop(name: string, context: Context): Promise<void> {
  const dropped = await withFleet(context, (fleet) => fleet.call(dropWorkList, { query: { list: name } }));
  const left = dropped.taken === 0 ? '' : `; ${counted(dropped.taken, 'item')} that runs have taken are left to them`;
  context.output.result({ name, ...dropped }, () => [`${counted(dropped.dropped, 'item')} of ${name} dropped${left}`]);
}
