import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toCrontabs } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { crontabsOf } from './crontab.ts';
import { CrontabPanel } from './crontab-panel.tsx';
import { Filter } from './filter.tsx';
import { None } from './none.tsx';
import type { CrontabsSearch } from './search.ts';

const { crontabs: text } = words;
const api = getRouteApi('/signed-in/crontabs');
/** Lines fall due and change sides, and no event tells that a host has not told of it. */
const LOOK_MS = 60_000;

/** From cron to the fleet: what cron did with each line beside what was planned, and who runs it. */
export function CrontabsScreen() {
  const search = api.useSearch();
  const { name, since = '7d' } = search;
  const navigate = useNavigate();
  const lines = useQuery({
    ...get('/v1/shadow', { query: { since } }),
    placeholderData: (before) => before,
    refetchInterval: LOOK_MS,
  });
  const onSearch = (change: Partial<CrontabsSearch>) =>
    void navigate({ ...toCrontabs({ ...search, ...change }), replace: true });
  return (
    <Page title={text.title}>
      <Answer of={lines} skeleton={<SkeletonRows rows={6} />}>
        {({ items }) => {
          if (items.length === 0) return <None />;
          const found = crontabsOf(items, name);
          return (
            <>
              <Filter search={search} onSearch={onSearch} />
              {found.length === 0 ? <Empty title={text.noneFound} /> : null}
              {found.map((crontab) => (
                <CrontabPanel key={crontab.source} crontab={crontab} />
              ))}
            </>
          );
        }}
      </Answer>
    </Page>
  );
}
