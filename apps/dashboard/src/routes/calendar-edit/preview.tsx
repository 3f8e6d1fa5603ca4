import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { type CalendarEffect, differenceOf } from '../calendar/days.ts';
import { Tasks } from '../calendar/tasks.tsx';
import { YearView } from '../calendar/year-view.tsx';
import { Years } from '../calendar/years.tsx';
import styles from './screen.module.css';
import type { CalendarPreviewed } from './use-calendar-preview.ts';

const { calendars: text } = words;

interface PreviewProps {
  preview: CalendarPreviewed;
  /** The calendar that is changed; null: it is a new one. */
  saved: string | null;
  isNamed: boolean;
  zone: string;
  year: number;
  onYear: (year: number) => void;
}

/** What the draft will exclude, and of which days it will be another than before. */
export function Preview({ preview: { query }, saved, isNamed, zone, year, onYear }: PreviewProps) {
  const { data, error } = query;
  return (
    <>
      <Panel title={text.preview}>
        <div className={styles.preview} aria-live="polite">
          <Years year={year} onYear={onYear} />
          {!isNamed ? (
            <Empty title={text.nameFirst} />
          ) : error ? (
            <ProblemNote error={error} />
          ) : data ? (
            <>
              {saved === null ? null : <Difference name={saved} effect={data} />}
              <YearView effect={data} zone={zone} />
            </>
          ) : (
            <SkeletonRows rows={8} />
          )}
        </div>
      </Panel>
      {data && !error && data.taskCount > 0 ? <Tasks effect={data} /> : null}
    </>
  );
}

function Difference({ name, effect }: { name: string; effect: CalendarEffect }) {
  const before = useQuery(get('/v1/calendars/{name}/effect', { path: { name }, query: { year: effect.year } }));
  if (!before.data) return null;
  const { more, fewer, other } = differenceOf(before.data.days, effect.days);
  return (
    <p>
      <strong>{text.difference(more, fewer, other)}</strong>
    </p>
  );
}
