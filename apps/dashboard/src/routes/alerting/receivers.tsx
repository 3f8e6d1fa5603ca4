import { Link } from '@tanstack/react-router';
import { toAlerting } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/index.ts';
import type { Receiver } from './document.ts';
import { TestAction } from './test-action.tsx';

const { alerting: text } = words;
const { receiver: heads } = text;

type Named = readonly [name: string, receiver: Receiver];

const COLUMNS: readonly Column<Named>[] = [
  { head: heads.name, cell: ([name]) => name },
  { head: heads.type, cell: ([, { type }]) => text.types[type] ?? type },
  { head: heads.where, cell: ([, receiver]) => whereTo(receiver) },
  { head: heads.messages, cell: ([name]) => <Link {...toAlerting({ receiver: name })}>{text.itsMessages}</Link> },
  { head: text.actions, isForActions: true, cell: ([name]) => <TestAction name={name} /> },
];

/** As the API shows it: without what may be a secret. */
function whereTo(receiver: Receiver): string {
  switch (receiver.type) {
    case 'email':
      return receiver.to.join(', ');
    case 'task':
      return receiver.task;
    case 'inbox':
      return text.kept;
    case 'pagerduty':
      return receiver.url === undefined ? text.pagerduty : urlWords(receiver.url);
    default:
      return urlWords(receiver.url);
  }
}

function urlWords(url: string | { secret: string }): string {
  return typeof url === 'string' ? url : text.hidden(url.secret);
}

/** Who can be told, and how. Each can be tested. */
export function Receivers({ receivers }: { receivers: Readonly<Record<string, Receiver>> }) {
  const named = Object.entries(receivers);
  return (
    <Panel title={text.receivers} flush>
      {named.length === 0 ? (
        <Empty title={text.noReceivers}>
          <span>{text.noReceiversFix}</span>
        </Empty>
      ) : (
        <DataTable label={text.receivers} columns={COLUMNS} rows={named} keyOf={([name]) => name} />
      )}
    </Panel>
  );
}
