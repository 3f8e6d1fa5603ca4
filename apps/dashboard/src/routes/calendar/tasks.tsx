import { Link } from '@tanstack/react-router';
import { toTask } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { CalendarEffect } from './days.ts';
import styles from './screen.module.css';

type Task = CalendarEffect['tasks'][number];

const { calendars: text } = words;
const { task: heads } = text;

const COLUMNS: readonly Column<Task>[] = [
  { head: heads.name, cell: ({ id, name }) => <Link {...toTask(id)}>{name}</Link> },
  { head: heads.effect, cell: ({ shift }) => text.effect(shift) },
  {
    head: heads.out,
    cell: ({ leftOut, timeZone }) =>
      leftOut.length === 0 ? (
        <span className="quiet">{text.nothingOut}</span>
      ) : (
        <ul className={styles.instants}>
          {leftOut.map(({ at, reason }) => (
            <li key={at}>
              <Instant at={at} scheduleZone={timeZone} /> <span className="quiet">{entryOf(reason)}</span>
            </li>
          ))}
        </ul>
      ),
  },
  {
    head: heads.next,
    cell: ({ next, timeZone }) =>
      next.length === 0 ? (
        <span className="quiet">{text.neverNext}</span>
      ) : (
        <ul className={styles.instants}>
          {next.map((at) => (
            <li key={at}>
              <Instant at={at} scheduleZone={timeZone} />
            </li>
          ))}
        </ul>
      ),
  },
];

/** The tasks that use a calendar, and what it takes out of their next occurrences. */
export function Tasks({ effect: { tasks, taskCount } }: { effect: CalendarEffect }) {
  return (
    <Panel title={text.tasks} note={text.tasksCount(taskCount)} flush>
      {tasks.length === 0 ? (
        <Empty title={text.noTasks}>
          <span>{text.noTasksFix}</span>
        </Empty>
      ) : (
        <DataTable label={text.tasks} columns={COLUMNS} rows={tasks} keyOf={({ id }) => id} />
      )}
      {taskCount > tasks.length ? <p className={styles.foot}>{text.tasksShown(tasks.length, taskCount)}</p> : null}
    </Panel>
  );
}

/** Of `excluded by calendar office: weekend` what stands behind the calendar. */
function entryOf(reason: string): string {
  return reason.slice(reason.indexOf(': ') + 2);
}
