import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import { toRuns } from '../../links.ts';
import { Chip, Chips } from '../../parts/chips.tsx';
import { RUN_LOOKS, RUN_STATES } from '../../states.ts';
import { words } from '../../words/index.ts';
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
    <Chips label={counts}>
      <Chip link={toRuns(without)} isChosen={chosen === null}>
        {all}
      </Chip>
      {RUN_STATES.flatMap((state) => {
        const found = data?.states[state];
        if (!found) return [];
        return [
          <Chip
            key={state}
            link={toRuns(withTerm(query, 'state', state))}
            isChosen={chosen === state}
            look={RUN_LOOKS[state]}
          >
            {RUN_LOOKS[state].words}
            <span className="figures quiet">{found.exact ? count(found.count) : atLeast(found.count)}</span>
          </Chip>,
        ];
      })}
    </Chips>
  );
}
