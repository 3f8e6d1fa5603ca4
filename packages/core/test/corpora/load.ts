import { readFileSync } from 'node:fs';

export interface NextRow {
  id: string;
  dialect: string;
  kind: 'next' | 'prev' | 'match' | 'no-match' | 'valid' | 'equivalent' | 'fields';
  expr: string;
  tz: string;
  from: string | null;
  inclusive?: boolean;
  next: string[] | null;
  tags?: string[];
  equals?: string;
  fields?: { [name: string]: number[] };
}

export interface InvalidRow {
  id: string;
  dialect: string;
  expr: string | null;
  reason?: string;
  options?: string;
}

export interface QuartzRow {
  id: string;
  expr: string;
}

export interface RruleRow {
  id: string;
  rule?: string;
  ical?: string[];
  dtstart?: string;
  tz: string | null;
  expect?: string[];
  expectInstants?: string[];
  complete: boolean;
  agrees?: { dateutil?: boolean };
}

export interface MisfireRow {
  id: string;
  system: string;
  policy: string;
  given: { [name: string]: unknown };
  expect: { [name: string]: unknown };
}

const load = <Row>(file: string): Row[] => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Row[];

export const cronNext: NextRow[] = load('cron-next.json');
export const cronInvalid: InvalidRow[] = load('cron-invalid.json');
export const quartzReal: QuartzRow[] = load('quartz-real.json');
export const misfires: MisfireRow[] = load('misfire-scenarios.json');
export const rrules: RruleRow[] = load('rrule.json');

/** A reason why a row says nothing about us, and the rows it holds for. */
export interface Exclusion<Row> {
  reason: string;
  applies: (row: Row) => boolean;
}

/** Splits rows into those that are tests and those that are not, each with its reason. */
export function split<Row>(
  rows: readonly Row[],
  exclusions: readonly Exclusion<Row>[],
): { tests: Row[]; excluded: { row: Row; reason: string }[] } {
  const tests: Row[] = [];
  const excluded: { row: Row; reason: string }[] = [];
  for (const row of rows) {
    const found = exclusions.find(({ applies }) => applies(row));
    if (found) excluded.push({ row, reason: found.reason });
    else tests.push(row);
  }
  return { tests, excluded };
}

/** How many rows each reason takes out, so that none falls out in silence. */
export function counts(excluded: readonly { reason: string }[]): { [reason: string]: number } {
  const found: { [reason: string]: number } = {};
  for (const { reason } of excluded) found[reason] = (found[reason] ?? 0) + 1;
  return found;
}
