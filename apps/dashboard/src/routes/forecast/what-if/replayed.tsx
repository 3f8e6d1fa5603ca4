import type { ReactNode } from 'react';
import type { components } from '../../../api/generated/openapi.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { durationWords } from '../../../time/durations.ts';
import { Instant } from '../../../time/instant.tsx';
import { words } from '../../../words/index.ts';
import styles from './what-if.module.css';

type Found = components['schemas']['Replayed'];
type Outcome = Found['now'];

const { whatIf: text, common } = words;

interface Line {
  what: string;
  now: ReactNode;
  then: ReactNode;
}

const COLUMNS: readonly Column<Line>[] = [
  { head: text.column.what, cell: ({ what }) => what },
  { head: text.column.now, isNumber: true, cell: ({ now }) => now },
  { head: text.column.then, isNumber: true, cell: ({ then }) => then },
];

/** What became of the runs, beside what would have. */
export function Replayed({ of, expression }: { of: Found; expression?: string | undefined }) {
  return (
    <div className={styles.found} role="status">
      <DataTable label={text.table} columns={COLUMNS} rows={linesOf(of)} keyOf={({ what }) => what} />
      <p className="quiet">
        {of.timeZone !== null && expression !== undefined ? text.clock(expression, of.timeZone) : null} {text.since}{' '}
        <Instant at={of.from} />. {text.how(of.recorded)}
      </p>
    </div>
  );
}

function linesOf({ now, then }: Found): Line[] {
  const line = (what: string, of: (outcome: Outcome) => ReactNode): Line => ({ what, now: of(now), then: of(then) });
  const count = (n: number) => n.toLocaleString('en');
  return [
    line(text.due, ({ due }) => count(due)),
    line(text.started, ({ started }) => count(started)),
    line(text.late, ({ late }) => count(late)),
    line(text.lateP95, ({ lateP95Ms }) => durationWords(lateP95Ms)),
    line(text.latest, ({ longestWaitMs }) => durationWords(longestWaitMs)),
    line(text.skipped, ({ skipped }) => count(skipped)),
    line(text.replaced, ({ replaced }) => count(replaced)),
    line(text.atWork, ({ atWorkMs }) => durationWords(atWorkMs)),
    line(text.first, ({ firstAt }) => (firstAt === null ? common.none : <Instant at={firstAt} />)),
  ];
}
