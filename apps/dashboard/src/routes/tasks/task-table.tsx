import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { toTask, toTasks } from '../../links.ts';
import { Empty } from '../../parts/note.tsx';
import { RunBars } from '../../parts/run-bars/run-bars.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { TaskStateMark } from '../../parts/state.tsx';
import { isSameRow, type RowPlace, VirtualRows } from '../../parts/virtual-rows.tsx';
import { Instant } from '../../time/instant.tsx';
import { zoneOf } from '../../time/schedule-zone.ts';
import { words } from '../../words/index.ts';
import type { TasksSearch } from './search.ts';
import styles from './task-table.module.css';

type Task = components['schemas']['TaskListed'];
type List = UseInfiniteQueryResult<InfiniteData<components['schemas']['TaskPage']>>;

const { tasks: text } = words;
const NARROW_ROW = 92;

/** Tasks, page after page as one scrolls. */
export function TaskTable({ list, search }: { list: List; search: TasksSearch }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const tasks = data?.pages.flatMap(({ items }) => items) ?? [];
  if (data && tasks.length === 0) return <NoTasks search={search} />;
  return (
    <div className={styles.table} role="table" aria-label={text.table} aria-rowcount={-1}>
      <Heads />
      {data ? (
        <VirtualRows
          items={tasks}
          keyOf={({ id }) => id}
          className={styles.rows ?? ''}
          rowHeights={{ narrow: NARROW_ROW }}
          onNearEnd={() => {
            if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
          }}
        >
          {(task, place) => <Row task={task} {...place} />}
        </VirtualRows>
      ) : (
        <SkeletonRows rows={12} />
      )}
      {data && !hasNextPage ? <div className={styles.foot}>{text.end(tasks.length)}</div> : null}
    </div>
  );
}

function Heads() {
  const { columns } = text;
  return (
    <div role="rowgroup">
      <div className={styles.head} role="row">
        <Head>{columns.state}</Head>
        <Head>{columns.name}</Head>
        <Head>{columns.schedule}</Head>
        <Head>{columns.next}</Head>
        <Head>{columns.recent}</Head>
        <Head wide>{columns.pool}</Head>
        <Head wide>{columns.source}</Head>
      </div>
    </div>
  );
}

function Head({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return (
    <span role="columnheader" className={wide ? styles.wide : ''}>
      {children}
    </span>
  );
}

const Row = memo(function Row({ task, ...place }: { task: Task } & RowPlace) {
  const { id, name, state, meaning, definition, nextStartAt, recentRuns, source, planError } = task;
  return (
    <div {...place} className={styles.row} role="row">
      <span role="cell" className={styles.mark} title={planError ?? pauseOf(task)}>
        <TaskStateMark state={state} />
      </span>
      <span role="cell" className={`${styles.name} cut`} title={name}>
        <Link {...toTask(id)} className={styles.link}>
          {name}
        </Link>
      </span>
      <span role="cell" className={`${styles.schedule} cut`} title={meaning}>
        {meaning}
      </span>
      <span role="cell" className={`${styles.next} cut`}>
        {nextStartAt === null ? (
          <span className="quiet">{text.never}</span>
        ) : (
          <Instant at={nextStartAt} scheduleZone={zoneOf(definition)} />
        )}
      </span>
      <span role="cell" className={styles.recent}>
        <RunBars runs={recentRuns} />
      </span>
      <span role="cell" className={`${styles.wide} quiet cut`}>
        {definition.pool ?? 'default'}
      </span>
      <span role="cell" className={`${styles.wide} quiet cut`} title={source}>
        {source}
      </span>
    </div>
  );
}, isSameRow);

function pauseOf({ state, pauses: [pause] }: Task): string | undefined {
  return state === 'paused' && pause ? text.paused(pause.createdBy, pause.note) : undefined;
}

function NoTasks({ search }: { search: TasksSearch }) {
  const { name, state, pool } = search;
  const { emptyTitle, emptyFix, emptyAll, noneTitle, noneFix, noneCommand } = text;
  return (
    <div className={styles.table}>
      {name || state || pool ? (
        <Empty title={emptyTitle}>
          <span>{emptyFix}</span>
          <Link {...toTasks()}>{emptyAll}</Link>
        </Empty>
      ) : (
        <Empty title={noneTitle}>
          <span>{noneFix}</span>
          <code>{noneCommand}</code>
        </Empty>
      )}
    </div>
  );
}
