/** The one place that reads the browser's clock. Milliseconds since 1970. */
export function nowMs(): number {
  return Date.now();
}
