import type { components } from '../../api/generated/openapi.ts';

/** What a silence of an alert matches, as narrow as it can be: what it is about, and the rule. */
export function matchOf({ rule, labels }: Pick<components['schemas']['Alert'], 'rule' | 'labels'>): string {
  const { monitor, task, pool } = labels;
  const about = Object.entries({ monitor, task, pool }).find(([, value]) => value !== undefined);
  return [...(about ? [about.join('=')] : []), `rule=${rule}`].join(',');
}
