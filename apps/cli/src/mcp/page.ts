import { MOST_RESULT } from './bounded.ts';

/** Room for what stands around the entries. */
const MOST_ENTRIES = MOST_RESULT - 1000;

/**
 * A page that fits: asked for again with half as many entries where it is too large, as only then `next` goes on right behind what is shown.
 * One entry is taken as it is.
 */
export async function pageThatFits<Page extends { items: readonly unknown[] }>(
  limit: number,
  ask: (limit: number) => Promise<Page>,
): Promise<Page> {
  for (let most = limit; ; most = Math.floor(most / 2)) {
    const page = await ask(most);
    if (most <= 1 || JSON.stringify(page.items).length <= MOST_ENTRIES) return page;
  }
}
