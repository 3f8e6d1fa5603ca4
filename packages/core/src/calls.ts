import { z } from 'zod';
import { RUN_STATES } from './run-state.ts';

/**
 * What a handler may ask of its worker while it runs. A call of a run that is no longer the worker's (it was taken for
 * lost, or cancelled over its head) is refused.
 */
export const handlerCall = z.discriminatedUnion('call', [
  /** The run of the task and key before this one. */
  z.strictObject({ call: z.literal('previous') }),
]);

export type HandlerCall = z.output<typeof handlerCall>;

/** The last run of a task and key that began before another one, and has ended. */
export const previousRun = z.object({
  id: z.string(),
  state: z.enum(RUN_STATES),
  scheduledFor: z.date(),
  startedAt: z.date(),
  finishedAt: z.date(),
  /** For people; null: there is nothing to say. */
  reason: z.string().nullable(),
  /** Null: it gave nothing back. */
  output: z.json(),
});

export type PreviousRun = z.output<typeof previousRun>;

/** What comes back of each call. */
export const callAnswers = {
  previous: previousRun.nullable(),
};
