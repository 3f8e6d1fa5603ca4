import { Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { pages } from '../../api/get.ts';
import { toRun } from '../../links.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { Dialog } from '../dialog.tsx';
import { MoreButton } from '../more-button.tsx';
import { ProblemNote } from '../problem.tsx';
import { SkeletonRows } from '../skeleton.tsx';

type Result = components['schemas']['BulkResult'];

const { results: text } = words.bulk;
const PAGE = 50;

const COLUMNS: readonly Column<Result>[] = [
  {
    head: text.columns.run,
    cell: ({ runId, taskName }) => {
      const name = taskName ?? text.pruned;
      return runId === null ? name : <Link {...toRun(runId)}>{name}</Link>;
    },
  },
  { head: text.columns.outcome, cell: ({ outcome }) => text.outcomes[outcome] },
  {
    head: text.columns.made,
    cell: ({ newRunId }) => (newRunId === null ? text.none : <Link {...toRun(newRunId)}>{text.made}</Link>),
  },
  { head: text.columns.at, cell: ({ at }) => <Instant at={at} /> },
];

/** What a bulk action was done to, page after page. */
export default function BulkResults({ id, onClose }: { id: string; onClose: () => void }) {
  // What is under way has more of them each time one looks.
  const list = useInfiniteQuery({
    ...pages('/v1/bulk/{id}/results', { path: { id }, query: { limit: PAGE } }),
    staleTime: 0,
  });
  const { data, error, refetch } = list;
  const results = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Dialog onClose={onClose} title={text.title} size="xl">
      <Stack gap="md">
        {error && !data ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
        {data ? null : <SkeletonRows rows={8} />}
        {data && results.length === 0 ? <p className="quiet">{text.empty}</p> : null}
        {results.length === 0 ? null : (
          <DataTable
            label={text.title}
            columns={COLUMNS}
            rows={results}
            keyOf={({ runId, taskName, newRunId }) => `${runId} ${taskName} ${newRunId}`}
          />
        )}
        <MoreButton list={list} words={text.more} />
      </Stack>
    </Dialog>
  );
}
