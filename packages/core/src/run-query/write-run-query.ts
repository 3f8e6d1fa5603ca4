import type { RunQuery } from './run-query.ts';

/** A query as text, which `parseRunQuery` reads as the same. */
export function writeRunQuery({ tasks, labels, states, origins, since, until, ...words }: RunQuery): string {
  const { key, worker, error } = words;
  const terms: [string, readonly string[] | undefined][] = [
    ['task', tasks],
    ['label', labels && [labels.text]],
    ['state', states],
    ['origin', origins],
    ['key', one(key)],
    ['worker', one(worker)],
    ['error', one(error)],
    ['since', one(since?.toISOString())],
    ['until', one(until?.toISOString())],
  ];
  return terms.flatMap(([field, values]) => (values ? [`${field}:${values.map(quoted).join(',')}`] : [])).join(' ');
}

function one(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : [value];
}

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
