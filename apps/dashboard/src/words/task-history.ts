import type { components } from '../api/generated/openapi.ts';
import { shortDay } from './day-words.ts';

type Outcomes = components['schemas']['TaskOutcomes'];
type Count = 'succeeded' | 'failed' | 'skipped' | 'missed' | 'cancelled';

const COUNTS: Readonly<Record<Count, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  missed: 'missed',
  cancelled: 'cancelled',
};

const two = (n: number) => String(n).padStart(2, '0');

export const taskHistory = {
  title: 'History',
  weeks: (n: number) => `the last ${n} weeks`,
  days: (n: number) => `the last ${n} days`,
  by: { label: 'History by', day: 'By day', hour: 'By hour' },
  none: 'No run has ended in that time.',
  hour: two,
  hourOf: (date: string, hour: number) => `${shortDay(date)} ${two(hour)}:00`,
  cell: (when: string, of: Pick<Outcomes, Count>) => {
    const said = (Object.keys(COUNTS) as Count[]).flatMap((each) =>
      of[each] === 0 ? [] : [`${of[each].toLocaleString('en')} ${COUNTS[each]}`],
    );
    return `${when}: ${said.join(', ')}`;
  },
  of: (n: number) => `of ${n.toLocaleString('en')}`,
  legend: {
    failed: 'some failed',
    missed: 'some were missed, none failed',
    succeeded: 'none failed or was missed',
    notRun: 'all were skipped or cancelled',
  },
  table: { day: 'Runs by day', hour: 'Runs by hour' },
  column: {
    day: 'Day',
    hour: 'Hour',
    succeeded: 'Succeeded',
    failed: 'Failed',
    skipped: 'Skipped',
    missed: 'Missed',
    cancelled: 'Cancelled',
  },
};
