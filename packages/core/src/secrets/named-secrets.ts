import type { HandlerSpec, TaskDefinition } from '../task.ts';
import type { SecretUse } from './secret-rules.ts';

/** The names of all secrets that a task refers to. */
export function secretsNamedBy(handler: HandlerSpec): string[] {
  switch (handler.type) {
    case 'shell':
      return referencesIn(handler.env);
    case 'http':
      return referencesIn(handler.headers);
    case 'code':
      return [...(handler.secrets ?? [])];
  }
}

/** What a task would use a secret for. */
export function secretUseOf({ name, pool, handler }: Pick<TaskDefinition, 'name' | 'pool' | 'handler'>): SecretUse {
  return { task: name, pool, ...(handler.type === 'http' ? { url: new URL(handler.url) } : {}) };
}

function referencesIn(values: Readonly<Record<string, string | { secret: string }>> = {}): string[] {
  return Object.values(values).flatMap((value) => (typeof value === 'string' ? [] : [value.secret]));
}
