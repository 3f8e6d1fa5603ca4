import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Legend } from '../../parts/legend.tsx';
import { TableTwin } from '../../parts/table-twin.tsx';
import { dateIn } from '../../time/dates.ts';
import { useOfNow } from '../../time/now.ts';
import { dayWords } from '../../words/day-words.ts';
import { words } from '../../words/index.ts';
import { type CalendarEffect, type ExcludedDay, sheetOf } from './days.ts';
import styles from './year-view.module.css';

const { calendars: text } = words;
const { months, weekdays, day: heads } = text;

const COLUMNS: readonly Column<ExcludedDay>[] = [
  { head: heads.date, cell: ({ date }) => dayWords(date) },
  { head: heads.much, cell: hoursWords },
  { head: heads.why, cell: ({ entries }) => entries.join(', ') },
];

const sample = (kind: string | undefined) => <span className={`${styles.day} ${kind ?? ''}`}>1</span>;

const KEYS = [
  { sample: sample(undefined), said: text.free },
  { sample: sample(styles.whole), said: text.whole },
  { sample: sample(styles.part), said: text.part },
  { sample: sample(styles.today), said: text.today },
];

/** A year, day by day: as twelve sheets and as a table. */
export function YearView({ effect: { year, days }, zone }: { effect: CalendarEffect; zone: string }) {
  const today = useOfNow((now) => dateIn(zone, now));
  const byDate = new Map(days.map((day) => [day.date, day]));
  const whole = days.filter(({ isWhole }) => isWhole).length;
  return (
    <div className={styles.year}>
      <p>{text.summary(year, whole, days.length - whole)}</p>
      <Legend keys={KEYS} />
      <div className={styles.months} aria-hidden="true">
        {months.map((name, month) => (
          <Month key={name} year={year} month={month} byDate={byDate} today={today} />
        ))}
      </div>
      {days.length === 0 ? null : (
        <TableTwin>
          <DataTable label={text.daysTable} columns={COLUMNS} rows={days} keyOf={({ date }) => date} />
        </TableTwin>
      )}
    </div>
  );
}

interface MonthProps {
  year: number;
  month: number;
  byDate: ReadonlyMap<string, ExcludedDay>;
  today: string;
}

function Month({ year, month, byDate, today }: MonthProps) {
  const { before, days } = sheetOf(year, month);
  return (
    <div>
      <h3>{months[month]}</h3>
      <div className={styles.sheet}>
        {weekdays.map((name) => (
          <span key={name} className={styles.head}>
            {name.slice(0, 2)}
          </span>
        ))}
        {days.map(({ date, day }, index) => (
          <span
            key={date}
            className={classOf(byDate.get(date), date === today)}
            style={index === 0 ? { gridColumnStart: before + 1 } : undefined}
            title={titleOf(date, byDate.get(date))}
          >
            {day}
          </span>
        ))}
      </div>
    </div>
  );
}

function classOf(day: ExcludedDay | undefined, isToday: boolean): string {
  const much = day === undefined ? '' : day.isWhole ? styles.whole : styles.part;
  return `${styles.day} ${much} ${isToday ? styles.today : ''}`;
}

function titleOf(date: string, day: ExcludedDay | undefined): string {
  if (day === undefined) return text.cell(dayWords(date), text.free, '').replace(' ()', '');
  return text.cell(dayWords(date), hoursWords(day), day.entries.join(', '));
}

function hoursWords({ isWhole, hours }: ExcludedDay): string {
  return isWhole ? text.allDay : hours.map((each) => each.replace('-', ' to ')).join(', ');
}
