import { typedJson } from '../../parts/typed-json.ts';

/** What is typed as a payload: none at all, JSON, or what is neither. */
export type TypedPayload = { kind: 'none' } | { kind: 'json'; value: unknown } | { kind: 'wrong'; why: string };

/** Nothing, and blanks alone, are no payload: the run has that of its task. */
export function payloadOf(typed: string): TypedPayload {
  if (typed.trim() === '') return { kind: 'none' };
  try {
    return { kind: 'json', value: typedJson(typed) };
  } catch (error) {
    return { kind: 'wrong', why: error instanceof Error ? error.message : String(error) };
  }
}
