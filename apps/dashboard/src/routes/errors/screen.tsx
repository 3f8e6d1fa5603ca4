import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toErrors } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Empty, Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Filter } from './filter.tsx';
import { Group } from './group.tsx';
import styles from './screen.module.css';
import { type ErrorsSearch, queryOf } from './search.ts';

const api = getRouteApi('/signed-in/errors');
const { errors: text } = words;
const MOST = 100;

/** What fails, by what the failures have in common. */
export function ErrorsScreen() {
  const search = api.useSearch();
  const groups = useQuery({
    ...get('/v1/errors', { query: { ...queryOf(search), limit: MOST } }),
    // Another time or state is read while what was there stays.
    placeholderData: (before) => before,
  });
  return (
    <Page title={text.title}>
      <Filter search={search} />
      <Answer of={groups} skeleton={<SkeletonRows rows={8} />}>
        {({ items, total, ofAllStates, lookedBackTo }) => (
          <>
            {lookedBackTo === null ? null : (
              <Note tone="attention" shape="clock">
                <span>
                  {text.lookedBack} <Instant at={lookedBackTo} as="both" /> {text.lookedBackTo}.
                </span>
              </Note>
            )}
            {items.length === 0 ? <None search={search} ofAllStates={ofAllStates} /> : null}
            <ul className={styles.groups} aria-label={text.list}>
              {items.map((group) => (
                <Group key={group.fingerprint} group={group} search={search} />
              ))}
            </ul>
            {total > items.length ? <p className="quiet">{text.more(items.length, total)}</p> : null}
          </>
        )}
      </Answer>
    </Page>
  );
}

function None({ search, ofAllStates }: { search: ErrorsSearch; ofAllStates: number }) {
  if (ofAllStates === 0) return <Empty title={text.none} />;
  return (
    <Empty title={text.noneShown}>
      <span>{text.noneFix(ofAllStates)}</span>
      <Link {...toErrors({ ...search, shown: 'all' })}>{text.showAll}</Link>
    </Empty>
  );
}
