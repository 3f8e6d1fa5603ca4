import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { words } from '../words/index.ts';
import { Note } from './note.tsx';
import { ProblemNote } from './problem.tsx';

interface AnswerProps<T> {
  of: UseQueryResult<T>;
  /** What stands there until the first answer, as large as the answer will be. */
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
}

/** What a query has answered; a skeleton before, a problem if there is none, and the last answer while nobody answers. */
export function Answer<T>({ of, skeleton, children }: AnswerProps<T>) {
  const { data, error, refetch } = of;
  if (data !== undefined)
    return (
      <>
        {error ? <Note tone="attention" shape="clock" title={words.common.stale} /> : null}
        {children(data)}
      </>
    );
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  return <div aria-busy="true">{skeleton}</div>;
}

/** As `Answer`, where nothing else needs the query. */
export function Asked<T>({ query, ...others }: { query: UseQueryOptions<T> } & Omit<AnswerProps<T>, 'of'>) {
  return <Answer of={useQuery(query)} {...others} />;
}
