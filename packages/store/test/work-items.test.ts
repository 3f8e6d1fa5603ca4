import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { addToList, workItems } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const pageOf = async (asked: Parameters<typeof workItems>[2]) => {
  const { items, next } = await workItems(one, 'orders', asked);
  return { items: items.map(({ item }) => item), next };
};

it('are read page after page, also those that contain a text; the last page says so', async () => {
  await addToList(one, 'orders', [{ id: 'Aa' }, { id: 'b' }, { id: 'aB' }, { id: 'c' }], by('test'));
  const first = await pageOf({ limit: 3 });
  expect(first.items).toEqual([{ id: 'Aa' }, { id: 'b' }, { id: 'aB' }]);
  expect(await pageOf({ limit: 3, after: first.next ?? undefined })).toEqual({ items: [{ id: 'c' }], next: null });
  expect((await pageOf({ limit: 4 })).next).toBeNull();
  const found = await pageOf({ limit: 1, contains: '"A' });
  expect(found.items).toEqual([{ id: 'Aa' }]);
  expect(await pageOf({ limit: 1, contains: '"A', after: found.next ?? undefined })).toMatchObject({
    items: [{ id: 'aB' }],
  });
  expect(await pageOf({ limit: 5, contains: 'no such' })).toEqual({ items: [], next: null });
});

it('are looked through 10,000 at a time', async () => {
  const many = Array.from({ length: 10_001 }, (_, n) => (n === 10_000 ? 'needle' : n));
  await addToList(one, 'hay', many, by('test'));
  const { items, next } = await workItems(one, 'hay', { limit: 10, contains: 'needle' });
  expect([items.length, next === null]).toEqual([0, false]);
  expect(
    (await workItems(one, 'hay', { limit: 10, contains: 'needle', after: next ?? undefined })).items,
  ).toMatchObject([{ item: 'needle', runId: null }]);
});
