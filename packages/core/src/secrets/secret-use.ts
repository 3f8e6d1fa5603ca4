import { handlerFacts } from '../handler-kinds.ts';
import type { TaskDefinition } from '../task.ts';
import type { SecretUse } from './secret-rules.ts';

/** What a task would use a secret for. */
export function secretUseOf({ name, pool, handler }: Pick<TaskDefinition, 'name' | 'pool' | 'handler'>): SecretUse {
  const { url } = handlerFacts(handler);
  return { task: name, pool, ...(url === null ? {} : { url: new URL(url) }) };
}
