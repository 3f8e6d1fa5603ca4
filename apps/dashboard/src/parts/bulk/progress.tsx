import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import type { BulkWords } from '../../words/bulk.ts';
import { words as allWords } from '../../words/index.ts';
import { ProblemNote } from '../problem.tsx';
import { ShareBar } from '../share-bar.tsx';
import { BulkActions } from './actions.tsx';
import styles from './progress.module.css';
import { BulkRefused } from './refused.tsx';
import { ResultsButton } from './results-button.tsx';
import { type BulkRequest, isOver, percentOf } from './state.ts';

/** No event says how far it is. */
const LOOK_MS = 1000;

interface BulkProgressProps {
  id: string;
  /** The right that the act needs. */
  right: 'rerun' | 'cancel';
  words: BulkWords;
}

/** how far a bulk action is, until it is over: what was refused, what it was done to, and how it is halted. */
export function BulkProgress({ id, right, words }: BulkProgressProps) {
  const { data, error } = useQuery({
    ...get('/v1/bulk/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : LOOK_MS),
  });
  if (error && !data) return <ProblemNote error={error} />;
  const said = data ? wordsOf(data, words) : null;
  return (
    <div className={styles.progress}>
      <div className={styles.line}>
        <p className="quiet" role="status">
          {said}
        </p>
        {data && !isOver(data) ? <BulkActions request={data} right={right} words={allWords.bulk.halt} /> : null}
        {data?.counts ? <ResultsButton id={id} /> : null}
      </div>
      {data?.counts && !isOver(data) ? <ShareBar percent={percentOf(data.counts)} label={said ?? ''} /> : null}
      {data?.counts ? <BulkRefused counts={data.counts} /> : null}
    </div>
  );
}

function wordsOf({ state, counts, error }: BulkRequest, text: BulkWords): string {
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
