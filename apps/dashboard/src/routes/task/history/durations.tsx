import { Link } from '@tanstack/react-router';
import { Asked } from '../../../parts/answer.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty } from '../../../parts/note.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { SkeletonRows } from '../../../parts/skeleton.tsx';
import { TableTwin } from '../../../parts/table-twin.tsx';
import { dateIn } from '../../../time/dates.ts';
import { durationWords } from '../../../time/durations.ts';
import { useOfNow } from '../../../time/now.ts';
import { useZone } from '../../../time/zone.ts';
import { shortDay } from '../../../words/day-words.ts';
import { words } from '../../../words/index.ts';
import { toRunsIn } from './cell-link.tsx';
import { DurationPicture } from './duration-picture.tsx';
import { outcomesQuery } from './history.tsx';
import { WEEKS } from './outcomes.ts';
import { type DayTimes, SHARES, timesOf } from './series.ts';

const { taskDurations: text } = words;

/** How long its runs took, day by day. */
export function Durations({
  task: { id, name },
  zone: scheduleZone,
}: {
  task: { id: string; name: string };
  zone: string | null;
}) {
  const zone = useZone(scheduleZone);
  const today = useOfNow((now) => dateIn(zone, now));
  return (
    <Panel title={text.title} note={text.note(WEEKS)}>
      <Asked query={outcomesQuery(id, 'day', zone)} skeleton={<SkeletonRows rows={3} />}>
        {({ items }) => {
          const times = timesOf(items, zone);
          if (times.length === 0) return <Empty title={text.none} />;
          return (
            <>
              <DurationPicture times={times} today={today} />
              <TableTwin>
                <DataTable
                  label={text.table}
                  columns={columnsOf(name)}
                  rows={times.toReversed()}
                  keyOf={({ date }) => date}
                />
              </TableTwin>
            </>
          );
        }}
      </Asked>
    </Panel>
  );
}

function columnsOf(task: string): Column<DayTimes>[] {
  return [
    { head: text.column.day, cell: (of) => <Link {...toRunsIn(task, of)}>{shortDay(of.date)}</Link> },
    ...SHARES.map((share) => ({
      head: text.column[share],
      isNumber: true,
      cell: (of: DayTimes) => durationWords(of[share]),
    })),
  ];
}
