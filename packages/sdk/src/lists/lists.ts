import { callAnswers, type Json, jsonOf, LIST_PAGE_ITEMS } from '@escapement/core';
import type { Ask } from '../fan-out/batch.ts';

/** Of a page of items, in UTF-16 units of JSON. */
const PAGE_CHARS = 256 * 1024;

/** A named work-list, across the fleet. */
export interface WorkList {
  /**
   * Adds items to its end, at once: JSON, at most 64 KiB each. A retry that adds them again adds none twice: as many as
   * earlier attempts have added are left out. Returns how many were added.
   */
  add(items: Iterable<unknown> | AsyncIterable<unknown>): Promise<number>;
}

/** The work-lists of one attempt of a run. */
export class Lists {
  readonly #ask: Ask;
  /** The place of what was taken last, by list. */
  readonly #taken = new Map<string, number>();
  readonly #added = new Map<string, number>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async take(list: string): Promise<unknown> {
    const done = this.#taken.get(list) ?? null;
    const answer = callAnswers.list_take.parse(await this.#ask({ call: 'list_take', list, done }));
    if (answer === null) this.#taken.delete(list);
    else this.#taken.set(list, answer.place);
    return answer?.item;
  }

  list(name: string): WorkList {
    return {
      add: async (items) => {
        let added = 0;
        for await (const page of pagesOf(name, items)) added += await this.#add(name, page);
        return added;
      },
    };
  }

  async #add(list: string, items: Json[]): Promise<number> {
    const first = this.#added.get(list) ?? 0;
    this.#added.set(list, first + items.length);
    return callAnswers.list_add.parse(await this.#ask({ call: 'list_add', list, first, items }));
  }
}

async function* pagesOf(name: string, items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Json[]> {
  let page: Json[] = [];
  let chars = 0;
  for await (const item of items) {
    const json = jsonOf(item, `an item for list ${name}`) ?? null;
    page.push(json);
    chars += JSON.stringify(json).length;
    if (page.length < LIST_PAGE_ITEMS && chars < PAGE_CHARS) continue;
    yield page;
    page = [];
    chars = 0;
  }
  if (page.length > 0) yield page;
}
