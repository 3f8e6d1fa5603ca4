interface Node {
  id: string;
  causeRunId: string | null;
  rerunOf: string | null;
}

export interface Branch<T> {
  run: T;
  /** How many causes stand above it. */
  depth: number;
}

/** Runs in the order of a tree, each below what it follows or repeats. */
export function branches<T extends Node>(runs: readonly T[]): readonly Branch<T>[] {
  const known = new Set(runs.map(({ id }) => id));
  const parentOf = ({ causeRunId, rerunOf }: T) =>
    [causeRunId, rerunOf].find((id) => id !== null && known.has(id)) ?? null;
  const below = new Map<string | null, T[]>();
  for (const run of runs) {
    const parent = parentOf(run);
    below.set(parent, [...(below.get(parent) ?? []), run]);
  }
  const found: Branch<T>[] = [];
  const seen = new Set<string>();
  const add = (parent: string | null, depth: number) => {
    for (const run of below.get(parent) ?? []) {
      if (seen.has(run.id)) continue;
      seen.add(run.id);
      found.push({ run, depth });
      add(run.id, depth + 1);
    }
  };
  add(null, 0);
  return found;
}
