/** Statuses as a task lists them: numbers and ranges with both ends included. */
export interface StatusRanges {
  includes(status: number): boolean;
  /** For people: `200-299, 404`. */
  text: string;
}

const DEFAULT_EXPECTED = ['200-299'];

/** What a server says that may be otherwise in a while: it timed out, was too early, had too much to do, failed. */
const DEFAULT_RETRIED = [408, 425, 429, '500-599'];

/** Those that count as success. */
export const expectedStatus = (spec: readonly (number | string)[] = DEFAULT_EXPECTED): StatusRanges => rangesOf(spec);

/** Those after which another try may do better. */
export const retriedStatus = (spec: readonly (number | string)[] = DEFAULT_RETRIED): StatusRanges => rangesOf(spec);

function rangesOf(spec: readonly (number | string)[]): StatusRanges {
  const ranges = spec.map((entry) => {
    const [from = 0, to = from] = String(entry).split('-').map(Number);
    return { from, to };
  });
  return {
    includes: (status) => ranges.some(({ from, to }) => from <= status && status <= to),
    text: spec.join(', '),
  };
}
