import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toCalendar, toNewCalendar } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';

type Calendar = components['schemas']['CalendarInUse'];

const { calendars: text, common } = words;
const { column: heads } = text;

const COLUMNS: readonly Column<Calendar>[] = [
  { head: heads.name, cell: ({ name }) => <Link {...toCalendar(name)}>{name}</Link> },
  { head: heads.description, cell: ({ definition }) => definition.description },
  { head: heads.zone, cell: ({ definition }) => definition.timeZone },
  { head: heads.entries, isNumber: true, cell: ({ definition }) => definition.entries.length.toLocaleString('en') },
  { head: heads.tasks, isNumber: true, cell: ({ tasks }) => tasks.length.toLocaleString('en') },
  { head: heads.version, isNumber: true, cell: ({ version }) => version },
  {
    head: heads.saved,
    cell: ({ savedAt, savedBy }) => (
      <>
        <Instant at={savedAt} as="relative" /> <span className="quiet">{text.by(savedBy)}</span>
      </>
    ),
  },
];

/** Every calendar: whose days it has, and how many tasks use it. */
export function CalendarsScreen() {
  const calendars = useQuery(get('/v1/calendars'));
  return (
    <Page title={text.title} beside={<NewCalendar />}>
      <Answer of={calendars} skeleton={<SkeletonRows rows={4} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.none}>
              <span>{text.noneFix}</span>
            </Empty>
          ) : (
            <Panel title={text.list} note={items.length.toLocaleString('en')} flush>
              <DataTable label={text.list} columns={COLUMNS} rows={items} keyOf={({ name }) => name} />
            </Panel>
          )
        }
      </Answer>
    </Page>
  );
}

function NewCalendar() {
  const navigate = useNavigate();
  const whyNot = useMayAll('edit') ? null : common.notAllowedForAll('edit');
  return <ActionButton words={text.newCalendar} whyNot={whyNot} onClick={() => void navigate(toNewCalendar())} />;
}
