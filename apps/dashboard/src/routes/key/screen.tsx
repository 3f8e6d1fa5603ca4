import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toFleet, toForecast, toRunsOfKey } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Empty, Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { History } from './history.tsx';
import { Rates } from './rates.tsx';
import { Beside, Waiting } from './runs.tsx';
import { Slots } from './slots.tsx';

const api = getRouteApi('/signed-in/key');
const { oneKey: text, fleet } = words;
/** Leases end in Redis, of which no event tells. */
const LOOK_MS = 5000;

/** A key: which run holds each of its slots and since when, and who waits in which order. */
export function KeyScreen() {
  const { key } = api.useSearch();
  if (key !== undefined) return <OfKey name={key} />;
  return (
    <Page title={text.title}>
      <Empty title={text.none}>
        <span>{text.noneFix}</span>
        <Link {...toFleet()}>{text.fleet}</Link>
      </Empty>
    </Page>
  );
}

function OfKey({ name }: { name: string }) {
  const key = useQuery({ ...get('/v1/key', { query: { key: name } }), refetchInterval: LOOK_MS });
  return (
    <Page
      title={name}
      beside={
        <>
          <Link {...toRunsOfKey(name)}>{text.runs}</Link>
          <Link {...toForecast({ key: name })}>{text.forecast}</Link>
        </>
      }
    >
      <Answer of={key} skeleton={<SkeletonRows rows={6} />}>
        {(found) => (
          <>
            {found.leasesUnknown === null ? null : (
              <Note tone="attention" shape="question" title={fleet.leasesUnknown}>
                {found.leasesUnknown}
              </Note>
            )}
            <Slots slots={found.slots} />
            <Waiting of={found} />
            <Beside of={found} />
            <Rates rates={found.rates} />
            <History entries={found.audit} />
          </>
        )}
      </Answer>
    </Page>
  );
}
