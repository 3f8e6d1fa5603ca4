import { listName } from '@escapement/core';
import { addToList, dropList, unknownList } from '@escapement/operations';
import { workItems, workLists } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { at, countIn, reasonIn } from '../../schemas/values.ts';

/** As in a body of a megabyte. */
const MOST_ITEMS = 10_000;

const named = listName.meta({ description: 'The name of a list.' });
const changes = { tag: 'work-lists', right: 'write-data', on: 'action', missing: ['unknown_list'] } as const;

export const listWorkLists = route({
  id: 'listWorkLists',
  method: 'GET',
  path: '/v1/work-lists',
  tag: 'work-lists',
  summary: 'All work-lists: how much waits in each.',
  right: 'read',
  on: () => null,
  audit: null,
  answer: z
    .object({
      items: z.array(z.object({ name: z.string(), waiting: z.int(), taken: z.int(), added: z.int() })),
    })
    .meta({ id: 'WorkLists' }),
  handle: async ({ db }) => ({ items: await workLists(db) }),
});

export const listWorkItems = route({
  id: 'listWorkItems',
  method: 'GET',
  path: '/v1/work-items',
  tag: 'work-lists',
  summary: 'The items of a work-list, in the order in which they are taken.',
  right: 'read-payload',
  on: () => null,
  audit: null,
  missing: ['unknown_list'],
  query: z.strictObject({
    list: named,
    limit: countIn(1, 10_000, 50),
    after: z
      .string()
      .regex(/^\d{1,15}$/, 'what `next` of the page before said')
      .transform(Number)
      .optional()
      .meta({ description: 'Go on there: `next` of the page before.' }),
    contains: z.string().min(1).max(200).optional().meta({
      description: 'Only items of whose JSON this is a part, in any case. A page looks through 10,000 items at most.',
    }),
  }),
  answer: z
    .object({
      items: z.array(
        z.object({ place: z.int(), item: z.json(), runId: z.string().nullable(), takenAt: at.nullable() }),
      ),
      next: z.string().nullable().meta({ description: 'For `after` of the next page; null: this is the last one.' }),
    })
    .meta({ id: 'WorkItems' }),
  handle: async ({ db, query: { list, ...asked } }) => {
    const { items, next } = await workItems(db, list, asked);
    if (items.length > 0 || (await workLists(db)).some(({ name }) => name === list))
      return { items, next: next === null ? null : String(next) };
    throw await unknownList(db, list);
  },
});

export const addWorkItems = route({
  ...changes,
  id: 'addWorkItems',
  method: 'POST',
  path: '/v1/work-items',
  summary: 'Add items to the end of a work-list, which is made by it.',
  audit: 'add',
  query: z.strictObject({ list: named }),
  body: z.strictObject({ reason: reasonIn, items: z.array(z.json()).max(MOST_ITEMS) }),
  status: 201,
  answer: z.object({ added: z.int() }).meta({ id: 'WorkItemsAdded' }),
  handle: async ({ db, by, query, body: { reason, items } }) => {
    await addToList(db, query.list, items, by(reason));
    return { added: items.length };
  },
});

export const dropWorkList = route({
  ...changes,
  id: 'dropWorkList',
  method: 'DELETE',
  path: '/v1/work-items',
  summary: 'Delete the items of a work-list that no run has taken.',
  audit: 'drop',
  query: z.strictObject({ list: named, reason: reasonIn }),
  answer: z.object({ dropped: z.int(), taken: z.int() }).meta({ id: 'WorkListDropped' }),
  handle: async ({ db, by, query: { list, reason } }) => await dropList(db, list, by(reason)),
});
