import { Button } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { toRun } from '../../links.ts';
import { Empty } from '../../parts/note.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { RunStateMark } from '../../parts/state.tsx';
import { isSameRow, type RowPlace, VirtualRows } from '../../parts/virtual-rows.tsx';
import { durationWords } from '../../time/durations.ts';
import { Elapsed } from '../../time/elapsed.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './run-table.module.css';

type Run = components['schemas']['Run'];
type List = UseInfiniteQueryResult<InfiniteData<components['schemas']['RunPage']>>;

/** Runs, page after page as one scrolls. */
export function RunTable({ list, query }: { list: List; query: string }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const runs = data?.pages.flatMap(({ items }) => items) ?? [];
  const back = data?.pages.at(-1)?.lookedBackTo ?? null;
  const { columns, table } = words.runs;
  if (data && runs.length === 0 && !hasNextPage) return <NoRuns query={query} />;
  return (
    <div className={styles.table} role="table" aria-label={table} aria-rowcount={-1}>
      <div role="rowgroup">
        <div className={styles.head} role="row">
          <Head>{columns.state}</Head>
          <Head>{columns.task}</Head>
          <Head>{columns.scheduledFor}</Head>
          <Head right>{columns.late}</Head>
          <Head right>{columns.took}</Head>
          <Head wide right>
            {columns.attempt}
          </Head>
          <Head wide>{columns.origin}</Head>
          <Head wide>{columns.reason}</Head>
        </div>
      </div>
      {data ? (
        <VirtualRows
          items={runs}
          keyOf={({ id }) => id}
          className={styles.rows ?? ''}
          rowHeights={{ narrow: 60 }}
          onNearEnd={() => {
            // By error or origin only some runs are looked through at a time: going on is asked for.
            if (hasNextPage && !isFetchingNextPage && back === null) void fetchNextPage();
          }}
        >
          {(run, place) => <Row run={run} {...place} />}
        </VirtualRows>
      ) : (
        <SkeletonRows rows={12} />
      )}
      <div className={styles.foot}>
        {back === null ? null : (
          <span>
            {words.runs.lookedBackTo} <Instant at={back} />
          </span>
        )}
        {hasNextPage && back !== null ? (
          <Button size="compact-sm" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words.runs.lookOn}
          </Button>
        ) : null}
        {data && !hasNextPage ? words.runs.end : null}
        {isFetchingNextPage && back === null ? words.common.loading : null}
      </div>
    </div>
  );
}

function Head({ children, wide = false, right = false }: { children: ReactNode; wide?: boolean; right?: boolean }) {
  return (
    <span role="columnheader" className={`${wide ? styles.wide : ''} ${right ? styles.right : ''}`}>
      {children}
    </span>
  );
}

const Row = memo(function Row({ run, ...place }: { run: Run } & RowPlace) {
  const { id, state, taskName, scheduledFor, dueAt, startedAt, finishedAt, attempt, origin, reason, error } = run;
  return (
    <div {...place} className={styles.row} role="row">
      <span role="cell" className={styles.mark}>
        <RunStateMark state={state} />
      </span>
      <span role="cell" className={`${styles.task} cut`} title={taskName}>
        <Link {...toRun(id)} className={styles.link}>
          {taskName}
        </Link>
      </span>
      <span role="cell" className={`${styles.when} cut`}>
        <Instant at={scheduledFor} />
      </span>
      <span role="cell" className={`${styles.right} ${styles.narrow} figures`}>
        {startedAt === null ? null : durationWords(Date.parse(startedAt) - Date.parse(dueAt))}
      </span>
      <span role="cell" className={`${styles.right} ${styles.took}`}>
        {startedAt === null ? null : <Elapsed from={startedAt} to={finishedAt} />}
      </span>
      <span role="cell" className={`${styles.wide} ${styles.narrow} ${styles.right} figures`}>
        {attempt || null}
      </span>
      <span role="cell" className={`${styles.wide} ${styles.narrow} quiet`}>
        {words.run.origins[origin]}
      </span>
      <span
        role="cell"
        className={`${styles.wide} ${styles.narrow} quiet cut`}
        title={error?.message ?? reason ?? undefined}
      >
        {error?.message ?? reason}
      </span>
    </div>
  );
}, isSameRow);

function NoRuns({ query }: { query: string }) {
  const { emptyTitle, emptyFix, noneTitle, noneFix, noneCommand } = words.runs;
  return (
    <div className={styles.table}>
      {query === '' ? (
        <Empty title={noneTitle}>
          <span>{noneFix}</span>
          <code>{noneCommand}</code>
        </Empty>
      ) : (
        <Empty title={emptyTitle}>
          <span>{emptyFix}</span>
        </Empty>
      )}
    </div>
  );
}
