import { counted } from './counted.ts';

export const lists = {
  title: 'Work-lists',
  list: 'Work-lists',
  none: 'There are no work-lists yet.',
  noneFix: 'Runs take items of a list one after the other. Who adds the first items makes it.',
  column: { name: 'List', waiting: 'Waiting', taken: 'Taken by runs', added: 'Ever added' },
  gone: 'There is no such list, or nothing is left of it.',
  allLists: 'All lists',
  counts: 'How it stands',
  items: 'Items, in the order in which they are taken',
  contains: 'Part of an item',
  noItems: 'No item is left.',
  noneFound: 'No item has that in it.',
  noneFoundYet: 'None of those that were looked through has that in it.',
  mayNotSee: 'You see how many items there are, and not the items.',
  item: { place: 'Place', state: 'State', since: 'Taken', item: 'Item' },
  waiting: 'waiting',
  takenBy: 'taken by a run',
  more: 'Load more',
  lookOn: 'Look through more',
  add: 'Add items',
  addTo: (name: string) => `Add items to ${name}`,
  addToNew: 'Add items to a list',
  name: 'List',
  nameHelp: 'A list that is not there yet is made.',
  lines: 'Items',
  linesHelp: 'One JSON value a line: "text", 17, {"id": 17}',
  wrongLine: (line: number) => `Line ${line} is not JSON.`,
  noLines: 'Write at least one item.',
  doAdd: 'Add',
  drop: 'Delete what waits',
  dropTitle: (name: string) => `Delete what waits in ${name}?`,
  dropWords: (waiting: number, taken: number) =>
    `${counted(waiting, 'item')} that no run has taken ${waiting === 1 ? 'is' : 'are'} deleted for good.${
      taken === 0
        ? ' The list ends.'
        : ` ${counted(taken, 'item')} that runs have taken ${taken === 1 ? 'is' : 'are'} left to them.`
    }`,
  doDrop: 'Delete',
  nothingWaits: 'Nothing waits in it.',
};
