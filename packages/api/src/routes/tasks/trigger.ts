import { type TriggeredRun, triggerOnce, triggerRuns } from '@escapement/operations';
import { z } from 'zod';
import type { RequestContext } from '../../http/route.ts';
import { instantIn, reasonIn } from '../../schemas/values.ts';

/** What whoever triggers a task says of the run. */
export const triggerBody = z.strictObject({
  reason: reasonIn,
  payload: z.json().optional().meta({ description: "For this run instead of the task's own; at most 64 KiB." }),
  key: z.string().min(1).max(512).optional().meta({
    description:
      "For this run instead of the task's own; may hold `{{payload.field}}`. A rerun keeps it. It takes the right `trigger` on the namespace.",
  }),
  at: instantIn.optional().meta({ description: 'When it is due, at most 366 days ahead. Default: now.' }),
  worker: z.string().max(63).optional().meta({ description: 'Of a task that runs on every worker: only on this one.' }),
  single: z.boolean().default(false).meta({
    description: 'Refuse a task of which there would be several runs, since it runs on every worker.',
  }),
});

/** What the routes that trigger have in common. */
export const TRIGGERS = {
  method: 'POST',
  description:
    'Of a task that runs on every worker there is a run for each. With the header `Idempotency-Key` it is done once: within a day the same key gives the same answer, and makes no second run.',
  headers: {
    'Idempotency-Key': 'What is triggered with the same key within a day is triggered once.',
    traceparent: 'The span that the runs continue (W3C Trace Context).',
  },
  right: 'trigger',
  audit: 'trigger',
  missing: ['unknown_task', 'unknown_worker'],
  status: 201,
  answer: z
    .object({ runs: z.array(z.object({ id: z.string(), worker: z.string().nullable() })) })
    .meta({ id: 'TaskTriggered' }),
} as const;

/** Triggers the task of a name as a request says. Throws what `triggerRuns` and `triggerOnce` throw. */
export async function triggerNamed(
  { db, by, headers }: Pick<RequestContext, 'db' | 'by' | 'headers'>,
  name: string,
  { reason, payload, key: ownKey, at, worker, single }: z.output<typeof triggerBody>,
): Promise<TriggeredRun[]> {
  const traceparent = textOf(headers.traceparent);
  const context = { by: by(reason), payload, key: ownKey, at, worker, single, traceparent };
  const key = textOf(headers['idempotency-key']);
  return await (key === undefined ? triggerRuns(db, name, context) : triggerOnce(db, name, key, context));
}

/** One value of a header; a program that sends it twice has its first one taken. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
