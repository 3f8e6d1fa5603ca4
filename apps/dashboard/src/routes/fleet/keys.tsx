import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useReleaseKey } from '../../acts/release-key.ts';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toRun } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty, Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Slot = components['schemas']['KeySlot'];

const { fleet: text, common } = words;
const { key: heads } = text;
const MOST = 100;
/** Leases end in Redis, of which no event tells. */
const LOOK_MS = 5000;

const columnsOf = (onRelease: (slot: Slot) => void): readonly Column<Slot>[] => [
  {
    head: heads.name,
    cell: ({ key, remark }) => (
      <>
        {key}
        {remark === null ? null : <div className={styles.remark}>{remark}</div>}
      </>
    ),
  },
  { head: heads.slot, cell: ({ slot, limit }) => text.slot(slot, limit) },
  { head: heads.state, cell: ({ state }) => text.slotStates[state] },
  {
    head: heads.holder,
    cell: ({ holder }) =>
      holder === null ? common.none : <Link {...toRun(holder.runId)}>{holder.taskName ?? holder.runId}</Link>,
  },
  {
    head: heads.since,
    cell: ({ holder }) => (holder?.since ? <Instant at={holder.since} as="relative" /> : null),
  },
  { head: heads.waiting, isNumber: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
  { head: text.acts, isActs: true, cell: (slot) => <Release slot={slot} onRelease={onRelease} /> },
];

const keysQuery = { ...get('/v1/keys', { query: { busy: 'true', limit: MOST } }), refetchInterval: LOOK_MS };

/** Keys that a run holds, or that runs wait for. */
export function Keys() {
  // As it was when it was asked for: by now its key may be free, or another run's.
  const [asked, setAsked] = useState<Slot | null>(null);
  return (
    <Panel title={text.keys} flush>
      <Asked query={keysQuery} skeleton={<SkeletonRows rows={3} />}>
        {({ items, leasesUnknown }) => (
          <>
            {leasesUnknown === null ? null : (
              <Note tone="attention" shape="question" title={text.leasesUnknown}>
                {leasesUnknown}
              </Note>
            )}
            {items.length === 0 ? (
              <Empty title={text.noKeys} />
            ) : (
              <DataTable
                label={text.keys}
                columns={columnsOf(setAsked)}
                rows={items}
                keyOf={({ key, slot }) => `${slot} ${key}`}
              />
            )}
            {items.length === MOST ? <p className={styles.foot}>{text.moreKeys(MOST)}</p> : null}
            {asked ? <ReleaseDialog asked={asked} slots={items} onClose={() => setAsked(null)} /> : null}
          </>
        )}
      </Asked>
    </Panel>
  );
}

function Release({ slot, onRelease }: { slot: Slot; onRelease: (slot: Slot) => void }) {
  const mayCancel = useMay('cancel');
  const isHeld = slot.holder !== null || slot.lease !== null;
  const whyNot = !isHeld ? text.nothingHeld : mayCancel ? null : common.notAllowed('cancel');
  return <ActButton words={text.release} whyNot={whyNot} isDangerous onClick={() => onRelease(slot)} />;
}

const runOf = ({ holder, lease }: Slot): string | undefined => holder?.runId ?? lease?.runId;

interface ReleaseDialogProps {
  asked: Slot;
  /** As they are now. */
  slots: readonly Slot[];
  onClose: () => void;
}

function ReleaseDialog({ asked, slots, onClose }: ReleaseDialogProps) {
  const { mutate, isPending, error } = useReleaseKey();
  const { key, slot } = asked;
  const now = slots.find((each) => each.key === key && each.slot === slot);
  const isOther = now === undefined || runOf(now) !== runOf(asked);
  const onDo = ({ reason = '' }: Said) => {
    if (!isOther) mutate({ query: { key }, body: { slot, reason } }, { onSuccess: onClose });
  };
  return (
    <ReasonDialog
      title={text.releaseTitle(key)}
      doIt={text.doRelease}
      isDangerous
      needsReason
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <p>{text.releaseFrom(asked.holder?.taskName ?? null, runOf(asked) ?? '')}</p>
      {isOther && !isPending ? <Note tone="attention" shape="hand" title={text.releasedAlready} /> : text.releaseWords}
    </ReasonDialog>
  );
}
