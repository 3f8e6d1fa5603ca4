import { findTask } from '@escapement/api/routes';
import type { Calls } from '../fleet.ts';

/** The path of the task that has a name. Throws `unknown_task`. */
export async function taskNamed(fleet: Calls, name: string): Promise<{ id: string }> {
  const { id } = await fleet.call(findTask, { query: { name } });
  return { id };
}
