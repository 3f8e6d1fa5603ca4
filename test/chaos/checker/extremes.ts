// A spread of a whole ledger as arguments ends in "Maximum call stack size exceeded": a fleet at full size has over 100,000 runs.

/** The largest of these and the floor. */
export function largest(floor: number, values: Iterable<number>): number {
  let most = floor;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** The smallest of these and the ceiling. */
export function smallest(ceiling: number, values: Iterable<number>): number {
  let least = ceiling;
  for (const value of values) if (value < least) least = value;
  return least;
}
