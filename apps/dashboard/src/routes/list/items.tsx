import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { pages } from '../../api/get.ts';
import { toList, toRun } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { FindField } from '../../parts/find-field.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/state.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { LOOK_MS } from '../lists/lists-query.ts';
import type { ListSearch } from './search.ts';

type Item = components['schemas']['WorkItems']['items'][number];

const { lists: text } = words;
const { item: heads } = text;
const PAGE = 100;

const COLUMNS: readonly Column<Item>[] = [
  { head: heads.place, cell: ({ place }) => place.toLocaleString('en') },
  {
    head: heads.state,
    cell: ({ runId }) =>
      runId === null ? (
        <StateMark look={{ tone: 'waiting', shape: 'clock', words: text.waiting }} />
      ) : (
        <Link {...toRun(runId)}>{text.takenBy}</Link>
      ),
  },
  { head: heads.since, cell: ({ takenAt }) => (takenAt === null ? null : <Instant at={takenAt} as="relative" />) },
  { head: heads.item, cell: ({ item }) => <code>{JSON.stringify(item)}</code> },
];

/** What is in a list, found by a part of it, page after page. */
export function Items({ name, search }: { name: string; search: ListSearch }) {
  const { contains } = search;
  const navigate = useNavigate();
  const given = { list: name, limit: PAGE, ...(contains === undefined ? {} : { contains }) };
  const list = useInfiniteQuery({
    ...pages('/v1/work-items', { query: given }),
    // While one types, what was found before stays.
    placeholderData: (before) => before,
    refetchInterval: LOOK_MS,
  });
  return (
    <>
      <search>
        <FindField
          label={text.contains}
          value={contains ?? ''}
          onValue={(typed) =>
            void navigate({ ...toList(name, typed === '' ? {} : { contains: typed }), replace: true })
          }
        />
      </search>
      <Answer of={list} skeleton={<SkeletonRows rows={8} />}>
        {({ pages: read }) => {
          const items = read.flatMap((page) => page.items);
          if (items.length === 0) return <Empty title={whyNone(contains, list.hasNextPage)} />;
          return (
            <Panel title={text.items} flush>
              <DataTable label={text.items} columns={COLUMNS} rows={items} keyOf={({ place }) => String(place)} />
            </Panel>
          );
        }}
      </Answer>
      <MoreButton list={list} words={contains === undefined ? text.more : text.lookOn} />
    </>
  );
}

function whyNone(contains: string | undefined, hasMore: boolean): string {
  if (contains === undefined) return text.noItems;
  return hasMore ? text.noneFoundYet : text.noneFound;
}
