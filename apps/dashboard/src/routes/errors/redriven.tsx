import { useQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';

type Bulk = components['schemas']['BulkRequest'];

const { errors: text } = words;
/** No event says how far it is. */
const LOOK_MS = 1000;

/** How far running them again is, until it is over. */
export function Redriven({ id }: { id: string }) {
  const { data, error } = useQuery({
    ...get('/v1/bulk/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : LOOK_MS),
  });
  if (error && !data) return <ProblemNote error={error} />;
  return (
    <p className="quiet" role="status">
      {data ? wordsOf(data) : null}
    </p>
  );
}

function isOver({ state }: Bulk): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

function wordsOf({ state, counts, error }: Bulk): string {
  if (error) return `${text.redriven.failed}: ${error.message}`;
  if (counts === null) return text.redriven[state];
  const { done, total, passed, refusedCount } = counts;
  const parts = [
    text.redrivenCounts(done, total),
    ...(passed > 0 ? [text.redrivenPassed(passed)] : []),
    ...(refusedCount > 0 ? [text.redrivenRefused(refusedCount)] : []),
  ];
  return `${text.redriven[state]}: ${parts.join(', ')}`;
}
