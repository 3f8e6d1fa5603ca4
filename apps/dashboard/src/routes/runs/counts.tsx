import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toRuns } from '../../links.ts';
import { ShapeMark } from '../../parts/shape.tsx';
import { toneClass } from '../../parts/tones.ts';
import { RUN_LOOKS, RUN_STATES } from '../../states.ts';
import { words } from '../../words/index.ts';
import styles from './counts.module.css';
import { termIn, withTerm } from './query-text.ts';

/** How many there are of each state, whatever state the query names: each leads there. */
export function Counts({ query }: { query: string }) {
  const without = withTerm(query, 'state', null);
  const { data } = useQuery({
    ...get('/v1/runs/counts', { query: { query: without } }),
    placeholderData: (before) => before,
  });
  const chosen = termIn(query, 'state');
  const { all, atLeast, count, counts } = words.runs;
  return (
    <ul className={styles.counts} aria-label={counts}>
      <li>
        <Link
          {...toRuns(without)}
          className={styles.count}
          aria-current={chosen === null}
          activeOptions={{ exact: true }}
        >
          {all}
        </Link>
      </li>
      {RUN_STATES.flatMap((state) => {
        const found = data?.states[state];
        if (!found) return [];
        const { tone, shape, words: name } = RUN_LOOKS[state];
        return [
          <li key={state}>
            <Link
              {...toRuns(withTerm(query, 'state', state))}
              className={`${styles.count} ${toneClass(tone)}`}
              aria-current={chosen === state}
              activeOptions={{ exact: true }}
            >
              <ShapeMark shape={shape} size={12} />
              {name}
              <span className="figures quiet">{found.exact ? count(found.count) : atLeast(found.count)}</span>
            </Link>
          </li>,
        ];
      })}
    </ul>
  );
}
