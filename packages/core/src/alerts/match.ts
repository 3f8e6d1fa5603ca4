import { EscapementError } from '../errors.ts';
import type { LabelSelector } from '../rights/labels.ts';

const TERM = /^([a-z][a-z0-9._/-]{0,62})=([^=,\s]{1,1000})$/;
const MAX_LENGTH = 2000;

/**
 * Which alerts are meant, by their labels: terms `key=value` or `key=one|other` with commas between, all of which must be met. Values are
 * names of tasks as well, so that more is allowed in them than in labels of tasks. Throws `bad_match`.
 */
export function parseMatch(text: string): LabelSelector {
  const terms = text.length > MAX_LENGTH ? [] : text.split(',').map((term) => readTerm(term.trim()));
  const read = terms.filter((term) => term !== undefined);
  if (read.length < Math.max(1, terms.length) || new Set(read.map(({ key }) => key)).size < read.length)
    throw new EscapementError('bad_match', `${JSON.stringify(text.slice(0, 100))} selects no alerts`, {
      fix: 'give labels of alerts, as task=billing/nightly,rule=failed or severity=critical|warning; all of them must be met',
    });
  return { text: read.map(({ key, values }) => `${key}=${values.join('|')}`).join(','), terms: read };
}

function readTerm(term: string): LabelSelector['terms'][number] | undefined {
  const [, key, list] = TERM.exec(term) ?? [];
  return key === undefined || list === undefined ? undefined : { key, values: list.split('|') };
}
