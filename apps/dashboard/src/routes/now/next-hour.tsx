import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toTask, toTasks } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { HOUR, SECOND } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { useNow } from '../../time/now.ts';
import { zoneOf } from '../../time/schedule-zone.ts';
import { words } from '../../words/index.ts';
import { dueSoon } from './due.ts';
import styles from './screen.module.css';

type Task = components['schemas']['TaskListed'];
type Due = Task & { nextStartAt: string };

const { now: text } = words;
const SHOWN = 8;
/** The strip moves by no more than a pixel. */
const STEP_MS = 5 * SECOND;

/** The next start of each task that is due within the hour. */
export function NextHour() {
  const tasks = useQuery(get('/v1/tasks', { query: { sort: 'next', state: 'active', limit: 60 } }));
  const now = useNow(STEP_MS);
  return (
    <Panel title={text.next} note={text.nextNote} flush>
      <Answer of={tasks} skeleton={<SkeletonRows rows={5} />}>
        {(page) => {
          const { due, isCut } = dueSoon(page, now);
          if (due.length === 0 && !isCut) return <Empty title={text.nextEmpty} />;
          return <Rows due={due} isCut={isCut} now={now} />;
        }}
      </Answer>
    </Panel>
  );
}

function Rows({ due, isCut, now }: { due: readonly Due[]; isCut: boolean; now: number }) {
  const left = Math.max(0, due.length - SHOWN);
  return (
    <>
      <Strip due={due} now={now} />
      <ul className={styles.list}>
        {due.slice(0, SHOWN).map((task) => (
          <li key={task.id} data-row className={styles.next}>
            <span className="quiet">
              <Instant at={task.nextStartAt} scheduleZone={zoneOf(task.definition)} as="relative" />
            </span>
            <span className="cut">
              <Link {...toTask(task.id)}>{task.name}</Link> <span className="quiet">{task.meaning}</span>
            </span>
            <Instant at={task.nextStartAt} scheduleZone={zoneOf(task.definition)} />
          </li>
        ))}
      </ul>
      {left > 0 || isCut ? (
        <p className={styles.foot}>
          <Link {...toTasks({ state: 'active', sort: 'next' })}>
            {isCut ? text.nextAtLeast(left) : text.nextMore(left)}
          </Link>
        </p>
      ) : null}
    </>
  );
}

/** Their instants on a line of an hour. The list below has the same in words. */
function Strip({ due, now }: { due: readonly Due[]; now: number }) {
  return (
    <svg className={styles.strip} viewBox="0 0 600 26" preserveAspectRatio="none" aria-hidden="true">
      <line x1="0" x2="600" y1="22" y2="22" stroke="var(--line-strong)" vectorEffect="non-scaling-stroke" />
      {[0, 150, 300, 450, 599].map((x) => (
        <line key={x} x1={x} x2={x} y1="18" y2="26" stroke="var(--line-strong)" vectorEffect="non-scaling-stroke" />
      ))}
      {due.map(({ id, nextStartAt }) => {
        const x = Math.max(1, (600 * (Date.parse(nextStartAt) - now)) / HOUR);
        return (
          <line
            key={id}
            x1={x}
            x2={x}
            y1="4"
            y2="20"
            stroke="var(--accent)"
            strokeWidth="2"
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
    </svg>
  );
}
