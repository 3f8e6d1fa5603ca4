/** The last values that were added, each once. */
export interface Latest<T> {
  /** The value is the latest from now on; the one that was added longest ago is forgotten if there are too many. */
  add(value: T): void;
  has(value: T): boolean;
}

/** Remembers at most so many. */
export function createLatest<T>(most: number): Latest<T> {
  const values = new Set<T>();
  return {
    add(value) {
      values.delete(value);
      values.add(value);
      for (const oldest of values) if (values.size > most) values.delete(oldest);
    },
    has: (value) => values.has(value),
  };
}
