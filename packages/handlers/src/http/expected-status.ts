const DEFAULT_EXPECTED = ['200-299'];

/** Statuses that count as success: numbers and ranges with both ends included. */
export interface ExpectedStatus {
  includes(status: number): boolean;
  /** For people: `200-299, 404`. */
  text: string;
}

export function expectedStatus(spec: readonly (number | string)[] = DEFAULT_EXPECTED): ExpectedStatus {
  const ranges = spec.map((entry) => {
    const [from = 0, to = from] = String(entry).split('-').map(Number);
    return { from, to };
  });
  return {
    includes: (status) => ranges.some(({ from, to }) => from <= status && status <= to),
    text: spec.join(', '),
  };
}
