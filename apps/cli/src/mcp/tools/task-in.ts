import { z } from 'zod';
import { own } from '../fields.ts';

/** Which task a tool is about. */
export const taskIn = own({ task: z.string().min(1).max(200).meta({ description: 'The name of the task.' }) });

/** Which run a tool is about. */
export const runIn = own({
  run: z.string().min(1).max(40).meta({ description: 'The id of the run, or the first of its digits.' }),
});
