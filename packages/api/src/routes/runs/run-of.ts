import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** What routes about one run have in common. */
export const aboutRun = {
  tag: 'runs',
  params: z.object({ id: z.string().max(40).meta({ description: 'The id of a run, or the first of its digits.' }) }),
  missing: ['unknown_run'],
} as const;

/** What rights are asked of. */
export const theRun = ({ params: { id } }: { params: { id: string } }): { run: string } => ({ run: id });

/** Between two looks at a run that goes on. */
const LOOK_EVERY_MS = 250;

/** Waits before the next look at a run, at most so long; ends early where nobody asks any more. */
export async function pause(signal: AbortSignal, mostMs = LOOK_EVERY_MS): Promise<void> {
  await sleep(Math.min(mostMs, LOOK_EVERY_MS), undefined, { signal }).catch(() => undefined);
}
