/** Choices that a seed repeats: for tests, benchmarks and drills, never for secrets. */
export interface Random {
  readonly seed: number;
  /** From 0 up to, and without, 1. */
  next(): number;
  /** One of them. Throws where there are none. */
  pick<Item>(items: readonly Item[]): Item;
  /** The same in another order; what is given stays as it is. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c: 32 bits of state are plenty to choose victims. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    seed,
    next,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    shuffle(items) {
      return items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item);
    },
  };
}
