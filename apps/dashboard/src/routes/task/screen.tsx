import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { Answer } from '../../parts/answer.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { TaskStateMark } from '../../parts/state.tsx';
import { zoneOf } from '../../time/schedule-zone.ts';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import type { TaskDescription } from './answer.ts';
import { ChainOf } from './chain/chain.tsx';
import { Durations } from './history/durations.tsx';
import { History } from './history/history.tsx';
import { LatestRuns } from './latest-runs.tsx';
import { NextFires } from './next-fires.tsx';
import { PoolOf } from './pool.tsx';
import styles from './screen.module.css';
import { Statistics } from './statistics.tsx';
import { TaskStatus } from './status.tsx';
import { Versions } from './versions.tsx';
import { What } from './what.tsx';

const api = getRouteApi('/signed-in/tasks/$id');

/** A task: what it is, whether and when it runs, how it went, and what can be done. */
export function TaskScreen() {
  const { id } = api.useParams();
  const task = useQuery(get('/v1/tasks/{id}', { path: { id } }));
  const { data } = task;
  return (
    <Page
      title={data?.name ?? words.tasks.title}
      beside={
        data ? (
          <>
            <TaskStateMark state={data.state} />
            <Actions task={data} />
          </>
        ) : null
      }
    >
      <Answer of={task} skeleton={<SkeletonRows rows={10} />}>
        {(described) => <Described task={described} />}
      </Answer>
    </Page>
  );
}

function Described({ task }: { task: TaskDescription }) {
  const { history = 'day' } = api.useSearch();
  const { definition, definitionNote } = words.task;
  return (
    <>
      <TaskStatus task={task} />
      <div className={styles.columns}>
        <div className={styles.column}>
          <What task={task} />
          <History task={task} zone={zoneOf(task.definition)} by={history} />
          <LatestRuns name={task.name} zone={zoneOf(task.definition)} />
          <div className={`${styles.column} ${styles.last}`}>
            <Versions task={task} />
            <Panel title={definition} note={definitionNote}>
              <JsonTree value={task.definition} />
            </Panel>
          </div>
        </div>
        <div className={styles.column}>
          <NextFires task={task} />
          <Statistics id={task.id} />
          <Durations task={task} zone={zoneOf(task.definition)} />
          <ChainOf id={task.id} />
          <PoolOf pool={task.pool} />
        </div>
      </div>
    </>
  );
}
