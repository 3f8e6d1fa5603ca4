import { useQuery } from '@tanstack/react-query';
import type { components } from '../api/generated/openapi.ts';
import { get } from '../api/get.ts';
import type { BulkWords } from '../words/bulk.ts';
import { ProblemNote } from './problem.tsx';

type Bulk = components['schemas']['BulkRequest'];

/** No event says how far it is. */
const LOOK_MS = 1000;

/** How far an act on many runs is, until it is over. */
export function BulkProgress({ id, words }: { id: string; words: BulkWords }) {
  const { data, error } = useQuery({
    ...get('/v1/bulk/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : LOOK_MS),
  });
  if (error && !data) return <ProblemNote error={error} />;
  return (
    <p className="quiet" role="status">
      {data ? wordsOf(data, words) : null}
    </p>
  );
}

function isOver({ state }: Bulk): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

function wordsOf({ state, counts, error }: Bulk, text: BulkWords): string {
  if (error) return `${text.states.failed}: ${error.message}`;
  if (counts === null) return text.states[state];
  const { done, total, passed, refusedCount } = counts;
  const parts = [
    text.counts(done, total),
    ...(passed > 0 ? [text.passed(passed)] : []),
    ...(refusedCount > 0 ? [text.refused(refusedCount)] : []),
  ];
  return `${text.states[state]}: ${parts.join(', ')}`;
}
