import { z } from 'zod';

/** What routes about one run have in common. */
export const aboutRun = {
  tag: 'runs',
  params: z.object({ id: z.string().max(40).meta({ description: 'The id of a run, or the first of its digits.' }) }),
  missing: ['unknown_run'],
} as const;

/** What rights are asked of. */
export const theRun = ({ params: { id } }: { params: { id: string } }): { run: string } => ({ run: id });
