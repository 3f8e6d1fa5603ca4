import type { LinkProps } from '@tanstack/react-router';
import { get } from '../../../api/get.ts';
import { toTask } from '../../../links.ts';
import { Asked } from '../../../parts/answer.tsx';
import { Chip, Chips } from '../../../parts/chips.tsx';
import { Empty } from '../../../parts/note.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { SkeletonRows } from '../../../parts/skeleton.tsx';
import { TableTwin } from '../../../parts/table-twin.tsx';
import { dateIn } from '../../../time/dates.ts';
import { useOfNow } from '../../../time/now.ts';
import { useZone } from '../../../time/zone.ts';
import { words } from '../../../words/index.ts';
import type { By } from './by.ts';
import { Days } from './days.tsx';
import { Hours } from './hours.tsx';
import { HistoryLegend } from './legend.tsx';
import { ASKED, DAYS, type Outcomes, WEEKS } from './outcomes.ts';
import { OutcomesTable } from './outcomes-table.tsx';

const { taskHistory: text } = words;

interface HistoryProps {
  task: { id: string; name: string };
  /** Of its schedule. */
  zone: string | null;
  by: By;
}

/** What became of its runs, day by day or hour by hour. */
export function History({ task, zone: scheduleZone, by }: HistoryProps) {
  const zone = useZone(scheduleZone);
  return (
    <Panel
      title={text.title}
      note={by === 'day' ? text.weeks(WEEKS) : text.days(DAYS)}
      actions={
        <Chips label={text.by.label}>
          <Chip link={stay(toTask(task.id))} isChosen={by === 'day'}>
            {text.by.day}
          </Chip>
          <Chip link={stay(toTask(task.id, { history: 'hour' }))} isChosen={by === 'hour'}>
            {text.by.hour}
          </Chip>
        </Chips>
      }
    >
      <Asked query={outcomesQuery(task.id, by, zone)} skeleton={<SkeletonRows rows={WEEKS} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.none} />
          ) : (
            <Shown items={items} task={task.name} zone={zone} by={by} />
          )
        }
      </Asked>
    </Panel>
  );
}

/** The days of a zone, or the hours of the latest of them. */
export function outcomesQuery(id: string, by: By, timeZone: string) {
  return get('/v1/tasks/{id}/outcomes', { path: { id }, query: { by, days: ASKED[by], timeZone } });
}

/** The page stays where it is. */
function stay(link: LinkProps): LinkProps & { resetScroll: boolean; replace: boolean } {
  return { ...link, resetScroll: false, replace: true };
}

function Shown({ items, task, zone, by }: { items: readonly Outcomes[]; task: string; zone: string; by: By }) {
  const today = useOfNow((now) => dateIn(zone, now));
  const Grid = by === 'day' ? Days : Hours;
  return (
    <>
      <Grid items={items} task={task} zone={zone} today={today} />
      <HistoryLegend />
      <TableTwin>
        <OutcomesTable items={items} task={task} zone={zone} by={by} />
      </TableTwin>
    </>
  );
}
