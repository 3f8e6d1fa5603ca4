/** A value for each of the last keys that were set. */
export interface Latest<Key, Value> {
  /** The key is the latest from now on; the one that was set longest ago is forgotten if there are too many. */
  set(key: Key, value: Value): void;
  get(key: Key): Value | undefined;
}

/** Remembers at most so many. */
export function createLatest<Key, Value>(most: number): Latest<Key, Value> {
  const values = new Map<Key, Value>();
  return {
    set(key, value) {
      values.delete(key);
      values.set(key, value);
      for (const oldest of values.keys()) if (values.size > most) values.delete(oldest);
    },
    get: (key) => values.get(key),
  };
}
