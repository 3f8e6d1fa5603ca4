import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { toCalendar } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { dateIn } from '../../time/dates.ts';
import { Instant } from '../../time/instant.tsx';
import { useOfNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import type { Calendar } from './answer.ts';
import { Entries } from './entries.tsx';
import styles from './screen.module.css';
import { Tasks } from './tasks.tsx';
import { YearView } from './year-view.tsx';
import { Years } from './years.tsx';

const api = getRouteApi('/signed-in/calendars/$name');
const { calendars: text, task } = words;
const { column: heads } = text;
/** Occurrences pass. */
const LOOK_MS = 60_000;

/** A calendar: what it excludes, day by day, and from which tasks. */
export function CalendarScreen() {
  const { name } = api.useParams();
  const calendar = useQuery(get('/v1/calendars/{name}', { path: { name } }));
  return (
    <Page title={name} beside={calendar.data ? <Actions calendar={calendar.data} /> : null}>
      <Answer of={calendar} skeleton={<SkeletonRows rows={10} />}>
        {(found) => (
          <>
            <About calendar={found} />
            <Entries entries={found.definition.entries} />
            <Year calendar={found} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function About({ calendar: { name, definition, version, savedAt, savedBy } }: { calendar: Calendar }) {
  const command = `npx escapement calendars show ${name}`;
  return (
    <Panel title={text.about} actions={<CopyButton label={task.copyCli} text={command} />}>
      <div className={styles.about}>
        {definition.description ? <span>{definition.description}</span> : null}
        <Facts
          of={[
            [heads.zone, definition.timeZone],
            [heads.version, version],
            [
              heads.saved,
              <span key="saved">
                <Instant at={savedAt} as="relative" /> {text.by(savedBy)}
              </span>,
            ],
          ]}
        />
      </div>
    </Panel>
  );
}

/** A year of it, and what its tasks leave out: one answer of the server has both. */
function Year({ calendar: { name, definition } }: { calendar: Calendar }) {
  const navigate = useNavigate();
  const search = api.useSearch();
  const zone = definition.timeZone;
  const thisYear = useOfNow((now) => Number(dateIn(zone, now).slice(0, 4)));
  const year = search.year ?? thisYear;
  const effect = useQuery({
    ...get('/v1/calendars/{name}/effect', { path: { name }, query: { year } }),
    placeholderData: (before) => before,
    refetchInterval: LOOK_MS,
  });
  return (
    <Answer of={effect} skeleton={<SkeletonRows rows={12} />}>
      {(found) => (
        <>
          <Panel title={text.view} note={text.zoneOfDays(zone)}>
            <div className={styles.about}>
              <Years year={year} onYear={(next) => void navigate(toCalendar(name, { year: next }))} />
              <YearView effect={found} zone={zone} />
            </div>
          </Panel>
          <Tasks effect={found} />
        </>
      )}
    </Answer>
  );
}
