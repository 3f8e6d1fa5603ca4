import type { Route } from '@escapement/api/calls';
import type { Clock } from '@escapement/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Calls } from '../fleet.ts';
import type { Fields } from './fields.ts';

/** What a tool has to work with. */
export interface Asking {
  /** The routes of the API, for this call. Throws what `withFleet` throws. */
  withFleet<Result>(use: (fleet: Calls) => Promise<Result>): Promise<Result>;
  /** The assistant has lost interest, or is gone. */
  signal: AbortSignal;
  clock: Clock;
  /** Of the call, for what a command does as well. */
  context: Context;
}

/** What a tool answers. */
export interface ToolAnswer {
  /** In JSON it is the result. */
  result: object;
  /** The same in one sentence or two. */
  words: string;
  /** How the assistant gets what did not fit. */
  rest: string;
}

/** What a tool does to the fleet, as the annotations of the protocol tell it. */
export interface Effect {
  /** It may end or lose something: a run, occurrences. */
  destructive: boolean;
  /** A second time with the same arguments it changes nothing more. */
  idempotent: boolean;
}

interface Declared<Args> {
  /** As assistants call it: `list_tasks`. */
  name: string;
  title: string;
  /** For the assistant: what it does, and when to take it. */
  description: string;
  input: Fields<Args>;
  /** The route that does it: it asks for the right, and makes the entry in the audit. */
  route: Pick<Route, 'right' | 'audit'>;
  /** Null: it only reads. */
  effect: Effect | null;
  /** Parts of the result that tasks have written. Default: none. */
  writtenByTasks?: string;
  call(args: Args, asking: Asking): Promise<ToolAnswer>;
}

export interface Tool extends Omit<Declared<never>, 'call' | 'input'> {
  schema: z.ZodObject;
  /** The arguments have been checked by the schema. */
  call(args: object, asking: Asking): Promise<ToolAnswer>;
}

/** Declares a tool. */
export function tool<Args>(declared: Declared<Args>): Tool {
  const { input, call, ...others } = declared;
  return {
    ...others,
    schema: z.strictObject(input.fields),
    call: (args, asking) => call(args as Args, asking),
  };
}
