import { ApiProblem } from '../../api/problem.ts';
import styles from './filter.module.css';

/** A query that cannot be read, with a mark at the place. */
export function QueryProblem({ query, error }: { query: string; error: unknown }) {
  if (!(error instanceof ApiProblem) || error.problem.at === undefined) return null;
  const { at, detail, fix } = error.problem;
  const end = Math.max(at.end, at.start + 1);
  return (
    <div className={styles.problem} role="alert">
      <pre>
        {query.slice(0, at.start)}
        <mark>{query.slice(at.start, end) || ' '}</mark>
        {query.slice(end)}
      </pre>
      {detail}
      {fix ? `: ${fix}` : ''}
    </div>
  );
}
