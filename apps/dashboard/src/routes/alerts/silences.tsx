import { useState } from 'react';
import { useUnsilenceAlerts } from '../../actions/alerts.ts';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';

type Silence = components['schemas']['Silence'];

const { alerts: text, common } = words;
const { silencesHeads: heads } = text;

const COLUMNS: readonly Column<Silence>[] = [
  { head: heads.match, cell: ({ match }) => match },
  { head: heads.until, cell: ({ untilAt }) => <Instant at={untilAt} as="both" /> },
  { head: heads.by, cell: ({ createdBy }) => createdBy },
  { head: heads.note, cell: ({ note }) => note },
  { head: text.actions, isForActions: true, cell: (silence) => <Unsilence silence={silence} /> },
];

/** Alerts that nobody is told of for now. */
export function Silences() {
  return (
    <Panel title={text.silences} flush>
      <Asked query={get('/v1/silences')} skeleton={<SkeletonRows rows={1} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.noSilences} />
          ) : (
            <DataTable label={text.silences} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Asked>
    </Panel>
  );
}

function Unsilence({ silence }: { silence: Silence }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayPause = useMay('pause');
  return (
    <>
      <ActionButton
        words={text.unsilence}
        whyNot={mayPause ? null : common.notAllowed('pause')}
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <UnsilenceDialog silence={silence} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function UnsilenceDialog({ silence: { id, match }, onClose }: { silence: Silence; onClose: () => void }) {
  const { mutate, isPending, error } = useUnsilenceAlerts();
  return (
    <ReasonDialog
      title={text.unsilenceTitle}
      doIt={text.doUnsilence}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { id }, query: said }, { onSuccess: onClose })}
    >
      {text.unsilenceWords(match)}
    </ReasonDialog>
  );
}
