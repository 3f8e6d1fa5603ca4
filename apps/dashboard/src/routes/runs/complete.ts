import { RUN_STATES } from '../../states.ts';
import { words } from '../../words/index.ts';
import { termAt } from './query-text.ts';

export interface Completion {
  /** What would stand there: `state:failed`. */
  text: string;
  hint: string;
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  state: ['open', ...RUN_STATES],
  origin: Object.keys(words.run.origins),
  since: ['-1h', '-24h', '-7d'],
  until: ['-1h', '-24h'],
};

/** What may stand at a place of a query. */
export function completions(query: string, place: number, tasks: readonly string[]): readonly Completion[] {
  const { text } = termAt(query, place);
  const [, name, value] = /^([a-z]+):(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    return Object.entries(words.runs.terms)
      .filter(([term]) => term.startsWith(text))
      .map(([term, hint]) => ({ text: term, hint }));
  const last = value.slice(value.lastIndexOf(',') + 1);
  const before = text.slice(0, text.length - last.length);
  const known = name === 'task' ? tasks : (VALUES[name] ?? []);
  return known
    .filter((each) => each.includes(last) && each !== last)
    .slice(0, 8)
    .map((each) => ({ text: before + each, hint: '' }));
}

/** A query in which a completion stands at a place, and where to go on. */
export function completed(query: string, place: number, { text }: Completion): { query: string; place: number } {
  const { start } = termAt(query, place);
  const isWhole = !text.endsWith(':');
  const head = `${query.slice(0, start)}${text}${isWhole ? ' ' : ''}`;
  return { query: head + query.slice(place).trimStart(), place: head.length };
}
