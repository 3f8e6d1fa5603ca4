import { typedJson } from '../../parts/typed-json.ts';

/** What is typed as items: one JSON value a line, or the first line that is none, counted from 1. */
export function itemsOf(typed: string): { items: unknown[] } | { wrongLine: number } {
  const items: unknown[] = [];
  for (const [index, line] of typed.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      items.push(typedJson(line));
    } catch {
      return { wrongLine: index + 1 };
    }
  }
  return { items };
}
