import type { By } from '@escapement/core';
import { addToList } from '@escapement/operations';
import type { Database } from '@escapement/store';

/** A work-list of which nothing is taken. */
export async function addLists(db: Database, by: By): Promise<void> {
  const orders = Array.from({ length: 120 }, (_, n) => ({
    order: `A-${1000 + n}`,
    country: n % 3 === 0 ? 'DE' : 'FR',
  }));
  await addToList(db, 'orders/to-check', orders, by);
}
