import type { TaskDefinition } from '../task.ts';
import { redactDefinition } from './redact-definition.ts';
import { MASK } from './secret-name.ts';

/** Stands for a secret that was masked, and would be masked where one stood. */
const PROBE = 'Q9q9Q9q9';

/**
 * Where a definition has `***` instead of a value: it was shown by the command line and given back. Undefined: nowhere; `***`
 * may stand where no secret would be masked, as in `echo '*** done ***'`.
 */
export function maskedPlace(definition: TaskDefinition): string | undefined {
  if (!JSON.stringify(definition).includes(MASK)) return undefined;
  const probed = withProbes(definition) as TaskDefinition;
  return lostProbe(probed, redactDefinition(probed), []);
}

function withProbes(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(MASK, PROBE);
  if (Array.isArray(value)) return value.map(withProbes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withProbes(inner)]));
}

function lostProbe(before: unknown, after: unknown, path: readonly string[]): string | undefined {
  if (typeof before === 'string') return probesIn(before) > probesIn(after) ? path.join('.') : undefined;
  if (typeof before !== 'object' || before === null) return undefined;
  for (const [name, inner] of Object.entries(before)) {
    const shown: unknown = typeof after === 'object' && after !== null ? Reflect.get(after, name) : undefined;
    const place = lostProbe(inner, shown, [...path, name]);
    if (place !== undefined) return place;
  }
  return undefined;
}

function probesIn(text: unknown): number {
  return typeof text === 'string' ? text.split(PROBE).length - 1 : 0;
}
