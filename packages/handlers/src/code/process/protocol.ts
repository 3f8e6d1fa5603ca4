import {
  type HandlerOutcome,
  handlerCall,
  type Json,
  MINUTE,
  RUN_ORIGINS,
  type RunEffects,
  type RunError,
  SECOND,
  type TaskInput,
  taskDefinition,
} from '@escapement/core';
import { z } from 'zod';
import type { Leftovers } from './leftovers/baseline.ts';

/**
 * What a worker and a process of its handlers say to each other, over Node's channel with the structured clone (Dates
 * and bigints arrive as they are). A process has one run at a time and messages keep their order, so none names its run.
 */

const json: z.ZodType<Json> = z.json();

const runInfo = z.object({
  id: z.string(),
  namespace: z.string(),
  taskName: z.string(),
  pool: z.string(),
  origin: z.enum(RUN_ORIGINS),
  requestedBy: z.string().nullable(),
  causeRunId: z.string().nullable(),
  traceparent: z.string().nullable(),
  scheduledFor: z.date(),
  startedAt: z.date(),
  latenessMs: z.int(),
  nextAt: z.date().nullable(),
  timeoutMs: z.int(),
  attempt: z.int(),
  key: z.string(),
  fence: z.bigint(),
});

const runMessage = z.object({
  type: z.literal('run'),
  /** The module that defines the task. */
  file: z.string(),
  task: z.string(),
  run: runInfo,
  payload: json.exactOptional(),
  state: z.object({ value: json.exactOptional(), version: z.int(), shape: z.int() }).exactOptional(),
  /** Those that the task declares. */
  secrets: z.record(z.string(), z.string()).exactOptional(),
  /** The worker is taken for dead, or frozen, when it has not been heard for so long. Milliseconds. */
  workerTimeoutMs: z.number(),
  /** From then on the handler has this long to end. Milliseconds. */
  killAfterMs: z.number(),
});

/** To the process. */
export const toProcess = z.discriminatedUnion('type', [
  runMessage,
  /** Load this module and say which task it defines, or what a configuration says. Not while there is a run. */
  z.object({ type: z.literal('describe'), file: z.string(), what: z.enum(['task', 'config']), limitMs: z.number() }),
  /** `reason` is an `AbortReason`. */
  z.object({ type: z.literal('abort'), reason: z.string() }),
  /** The worker lives. */
  z.object({ type: z.literal('alive') }),
  /** What came of a call. */
  z.object({ type: z.literal('answer'), id: z.int(), answer: z.unknown() }),
  z.object({
    type: z.literal('refusal'),
    id: z.int(),
    code: z.string(),
    message: z.string(),
    fix: z.string().exactOptional(),
  }),
]);

const runError: z.ZodType<RunError> = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string().exactOptional(),
  fields: z.record(z.string(), json).exactOptional(),
  get cause() {
    return runError.exactOptional();
  },
});

const effects: z.ZodType<RunEffects> = z.object({
  state: z.object({ value: json, version: z.int(), shape: z.int() }).exactOptional(),
  next: z.date().nullable().exactOptional(),
  chain: z.array(z.object({ task: z.string(), payload: json.exactOptional() })).exactOptional(),
});

const outcome: z.ZodType<HandlerOutcome> = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('succeeded'),
    output: json.exactOptional(),
    exitCode: z.int().exactOptional(),
    effects: effects.exactOptional(),
  }),
  z.object({
    status: z.literal('failed'),
    error: runError,
    exitCode: z.int().exactOptional(),
    retry: z.union([z.literal('never'), z.object({ at: z.date() })]).exactOptional(),
    work: z.enum(['not_begun', 'cut_off']).exactOptional(),
    seen: z.string().exactOptional(),
  }),
  z.object({ status: z.literal('skipped'), reason: z.string() }),
]);

const progress = z.object({ done: z.number(), total: z.number().nullable(), note: z.string().nullable() });

const leftovers: z.ZodType<Leftovers> = z.object({
  fate: z.enum(['spent', 'settling', 'kept']),
  what: z.array(z.string()),
  owned: z.boolean(),
});

const described = z.object({
  type: z.literal('described'),
  /** The import has changed something in the process. */
  owned: z.boolean(),
  /** The task as it is to be saved; absent: there is a problem, or it is a configuration. */
  definition: z.custom<TaskInput>((value) => taskDefinition.safeParse(value).success).exactOptional(),
  /** What a configuration says, as it is. */
  config: json.exactOptional(),
  problem: z.object({ code: z.string(), message: z.string(), fix: z.string().exactOptional() }).exactOptional(),
});

/** From the process. */
const fromProcess = z.discriminatedUnion('type', [
  /** It has started and takes runs. */
  z.object({ type: z.literal('ready') }),
  described,
  /** Its event loop turns. */
  z.object({ type: z.literal('alive') }),
  /** The module is loaded, and the handler is called now. */
  z.object({ type: z.literal('entered'), owned: z.boolean() }),
  z.object({ type: z.literal('log'), text: z.string() }),
  /** The handler says that it lives, and perhaps how far it is. */
  z.object({ type: z.literal('report'), progress: progress.nullable() }),
  /** The handler asks for something; the answer has the same id. */
  z.object({ type: z.literal('ask'), id: z.int(), call: handlerCall }),
  /** The end of the run. Not `clean`: something went wrong outside the handler's promise, so nothing else should run here. */
  z.object({ type: z.literal('outcome'), outcome, clean: z.boolean(), left: leftovers.exactOptional() }),
  /** After an outcome whose leftovers were settling: they are gone, or the process is spent. */
  z.object({ type: z.literal('settled'), clean: z.boolean() }),
]);

export type Described = z.output<typeof described>;
export type RunOrder = z.output<typeof runMessage>;
export type ToProcess = z.output<typeof toProcess>;
export type FromProcess = z.output<typeof fromProcess>;

/** A message of the process. Undefined: it is none, or nested deeper than a stack. */
export function readMessage(message: unknown): FromProcess | undefined {
  try {
    return fromProcess.safeParse(message).data;
  } catch {
    return undefined;
  }
}

/** Messages that somebody waits for, whatever else is in them. */
export const waitedFor = z.union([
  z.object({ type: z.literal('ask'), id: z.int() }),
  z.object({ type: z.literal('outcome') }),
]);

/** Time between two signs of life, of the process and of the worker, while there is a run. */
export const ALIVE_MS = 500;

/** Work that a run has left in its process may end within this time. Milliseconds. */
export const SETTLE_LIMIT_MS = 30 * SECOND;

/** A process that has not loaded a module for so long is killed. It gives up by itself before, unless its event loop is blocked. */
export const LOAD_LIMIT_MS = 1 * MINUTE;
