import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toForecast } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { Page } from '../../parts/page.tsx';
import { PoolField } from '../../parts/pool-field.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { TypedField } from '../../parts/typed-field.tsx';
import { useZone } from '../../time/zone.ts';
import { words } from '../../words/index.ts';
import { AtOnce } from './at-once.tsx';
import { BusyKeys } from './busy-keys.tsx';
import { PoolsAhead } from './pools-ahead.tsx';
import { Remarks } from './remarks.tsx';
import { Rows } from './rows/rows.tsx';
import styles from './screen.module.css';
import { type ForecastSearch, queryOf, SPANS, spanOf } from './search.ts';
import { Slots } from './slots.tsx';
import { WhatIf } from './what-if/what-if.tsx';

const api = getRouteApi('/signed-in/forecast');
const { forecast: text } = words;
const LOOK_MS = 60_000;

/** What will start when, how much of it is at work at once, and where that is more than may be. */
export function ForecastScreen() {
  const search = api.useSearch();
  const zone = useZone(null);
  const forecast = useQuery({
    ...get('/v1/forecast', { query: queryOf(search, zone) }),
    // Another span or pool is computed while what was there stays.
    placeholderData: (before) => before,
    // It begins now.
    refetchInterval: LOOK_MS,
  });
  return (
    <Page title={text.title}>
      <Filter search={search} />
      {search.task === undefined ? null : <WhatIf key={search.task} task={search.task} />}
      <Answer of={forecast} skeleton={<SkeletonRows rows={10} />}>
        {(found) => (
          <>
            <AtOnce forecast={found} of={search.key} zone={zone} />
            <Rows search={search} zone={zone} />
            <Remarks forecast={found} />
            <PoolsAhead pools={found.pools} />
            <BusyKeys keys={found.keys} search={search} />
          </>
        )}
      </Answer>
      <Slots pool={search.pool} zone={zone} />
      {search.task === undefined ? <WhatIf /> : null}
    </Page>
  );
}

function Filter({ search }: { search: ForecastSearch }) {
  const navigate = useNavigate();
  const span = spanOf(search);
  return (
    <search className={styles.filter}>
      <Chips label={text.spanLabel}>
        {SPANS.map((each) => (
          <Chip key={each} link={toForecast({ ...search, span: each })} isChosen={each === span}>
            {text.spans[each]}
          </Chip>
        ))}
      </Chips>
      <PoolField
        pool={search.pool ?? null}
        onPool={(pool) => void navigate({ ...toForecast({ ...search, pool: pool ?? undefined }), replace: true })}
      />
      <TypedField
        label={text.keyField}
        placeholder={text.keyHint}
        value={search.key ?? ''}
        onValue={(key) => void navigate({ ...toForecast({ ...search, key: key || undefined }), replace: true })}
      />
    </search>
  );
}
