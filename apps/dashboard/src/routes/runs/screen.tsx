import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { pages } from '../../api/get.ts';
import { ApiProblem } from '../../api/problem.ts';
import { toRuns } from '../../links.ts';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import { Bulk } from './bulk.tsx';
import { Counts } from './counts.tsx';
import { Filter } from './filter.tsx';
import { RunTable } from './run-table.tsx';

const api = getRouteApi('/signed-in/runs');
const PAGE = 100;

export function RunsScreen() {
  const { query = '' } = api.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(pages('/v1/runs', { query: { query, limit: PAGE } }));
  const { error, data, refetch } = list;
  const isOfQuery = error instanceof ApiProblem && error.problem.at !== undefined;
  return (
    <Page title={words.runs.title}>
      <Filter query={query} onQuery={(next) => void navigate(toRuns(next))} error={error} />
      {isOfQuery ? null : <Counts query={query} />}
      {isOfQuery ? null : <Bulk key={query} query={query} />}
      {error && !isOfQuery && !data ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
      {error && !data ? null : <RunTable list={list} query={query} />}
    </Page>
  );
}
