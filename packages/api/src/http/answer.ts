import { withoutPayloads } from '@escapement/core/rights';
import type { z } from 'zod';

/** JSON of an answer: instants are ISO 8601, numbers that may exceed a double are text. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The fence of a run is such a number; lists of tasks, the longest answers, have none. A replacer is asked for each value, which takes
    // longer than all else of writing it.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? each.toString() : each));
  }
}

/** An answer as whoever asks may see it. */
export function shownTo(value: unknown, seesPayloads: boolean): unknown {
  return seesPayloads ? value : withoutPayloads(value);
}

/** Throws where an answer is not as its route has declared it. For tests: a client is not helped by a refusal. */
export function checkAnswer(schema: z.ZodType, json: string): void {
  const answer: unknown = JSON.parse(json);
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw new Error(`the answer does not fit its schema: ${parsed.error.message}`);
  const declared = toJson(parsed.data);
  if (sorted(declared) !== sorted(json))
    throw new Error(`the answer has fields that are not declared: ${difference(json, declared)}`);
}

function sorted(json: string): string {
  return JSON.stringify(inOrder(JSON.parse(json)));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, each]) => [name, inOrder(each)]));
}

function difference(given: string, declared: string): string {
  const known = new Set(fieldsOf(JSON.parse(declared), ''));
  return fieldsOf(JSON.parse(given), '')
    .filter((field) => !known.has(field))
    .join(', ');
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => fieldsOf(each, `${path}.${name}`));
}
