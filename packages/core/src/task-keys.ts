import { z } from 'zod';
import { nearestKeyIn } from './nearest-key.ts';
import { taskDefinition } from './task.ts';

/** The JSON Schema (draft 2020-12) of a task as users write it, for editors. */
export function taskJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(taskDefinition, { io: 'input' });
}

/** The known key nearest to a mistyped one, at a path of a task; see `nearestKeyIn`. */
export function nearestTaskKey(path: readonly PropertyKey[], key: string): string | undefined {
  return nearestKeyIn(taskDefinition, path, key);
}
