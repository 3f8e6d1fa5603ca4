import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Key } from './answer.ts';

type Entry = Key['audit'][number];

const { oneKey: text, audit } = words;
const { entry: heads } = text;

const COLUMNS: readonly Column<Entry>[] = [
  { head: heads.at, cell: ({ at }) => <Instant at={at} /> },
  { head: heads.who, cell: ({ principal: { name } }) => name },
  { head: heads.action, cell: ({ action, refused }) => (refused ? `${action} (${audit.wasRefused})` : action) },
  { head: heads.reason, cell: ({ reason }) => reason },
];

/** What people did to it, and why. */
export function History({ entries }: { entries: readonly Entry[] }) {
  return (
    <Panel title={text.audit} flush>
      {entries.length === 0 ? (
        <Empty title={text.auditNone} />
      ) : (
        <DataTable
          label={text.audit}
          columns={COLUMNS}
          rows={entries}
          keyOf={({ at, action, requestId }) => `${at} ${action} ${requestId}`}
        />
      )}
    </Panel>
  );
}
