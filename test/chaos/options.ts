import { z } from 'zod';

const schema = z.object({
  seed: z.int(),
  minutes: z.number(),
  faults: z.array(z.string()),
  size: z.enum(['small', 'full']),
  list: z.boolean(),
});

/** Whether `npm run chaos` runs this, and not `npm test`. */
export function isChaosAsked(): boolean {
  return process.env.CHAOS !== undefined;
}

/** What `npm run chaos` was asked for. */
export function chaosOptions(): z.output<typeof schema> {
  const text = process.env.CHAOS;
  if (text === undefined) throw new Error('this is started by npm run chaos');
  return schema.parse(JSON.parse(text));
}
