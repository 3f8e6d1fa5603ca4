import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { pages } from '../../api/get.ts';
import { toAudit } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Filter } from './filter.tsx';
import { queryOf } from './search.ts';

type Entry = components['schemas']['AuditLogEntry'];

const api = getRouteApi('/signed-in/audit');
const { audit: text } = words;
const { column: heads } = text;
const PAGE = 50;

const COLUMNS: readonly Column<Entry>[] = [
  { head: heads.at, cell: ({ at }) => <Instant at={at} /> },
  { head: heads.who, cell: ({ principal: { name } }) => <Link {...toAudit({ principal: name })}>{name}</Link> },
  {
    head: heads.action,
    cell: ({ action, refused }) => (refused ? `${action} (${text.wasRefused})` : action),
  },
  { head: heads.subject, cell: ({ subject }) => <Link {...toAudit({ subject })}>{subject}</Link> },
  { head: heads.reason, cell: ({ reason }) => reason },
];

/** Who did what, when and why, and what was refused to whom. */
export function AuditScreen() {
  const search = api.useSearch();
  const list = useInfiniteQuery({
    ...pages('/v1/audit', { query: { ...queryOf(search), limit: PAGE } }),
    // While one types, what was found before stays.
    placeholderData: (before) => before,
  });
  return (
    <Page title={text.title}>
      <Filter search={search} />
      <Answer of={list} skeleton={<SkeletonRows rows={10} />}>
        {({ pages: read }) => {
          const entries = read.flatMap(({ items }) => items);
          if (entries.length === 0)
            return (
              <Empty title={text.none}>
                <span>{text.noneFix}</span>
              </Empty>
            );
          return (
            <Panel title={text.list} flush>
              <DataTable label={text.list} columns={COLUMNS} rows={entries} keyOf={({ id }) => String(id)} />
            </Panel>
          );
        }}
      </Answer>
      <MoreButton list={list} words={text.more} />
    </Page>
  );
}
