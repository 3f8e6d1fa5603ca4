import type { AnswerOf } from '@escapement/api/calls';
import { listTasks } from '@escapement/api/routes';
import type { Calls } from '../fleet.ts';

export type ListedTask = AnswerOf<typeof listTasks>['items'][number];

/** Tasks that are asked for at once. */
const PAGE = 500;

/** Which tasks; all that whoever asks may see, where nothing is said. */
interface Chosen {
  source?: string | undefined;
  pool?: string | undefined;
  name?: string | undefined;
  label?: string | undefined;
  state?: string | undefined;
  /** Latest runs of each that are told. */
  recent: number;
}

/** All tasks that are meant, by name. */
export async function allTasks(fleet: Calls, chosen: Chosen): Promise<ListedTask[]> {
  const tasks: ListedTask[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await fleet.call(listTasks, { query: { ...chosen, limit: PAGE, after } });
    tasks.push(...items);
    after = next ?? undefined;
  } while (after !== undefined);
  return tasks;
}
