import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toRun } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Release, ReleaseDialog, type Slot } from '../fleet/release.tsx';
import styles from '../fleet/screen.module.css';

const { oneKey: text, fleet, common } = words;
const { slot: heads } = text;

const columnsOf = (onRelease: (slot: Slot) => void): readonly Column<Slot>[] => [
  { head: heads.slot, cell: ({ slot, limit }) => fleet.slot(slot, limit) },
  {
    head: heads.state,
    cell: ({ state, remark }) => (
      <>
        {fleet.slotStates[state]}
        {remark === null ? null : <div className={styles.remark}>{remark}</div>}
      </>
    ),
  },
  { head: heads.holder, cell: (slot) => <Holder slot={slot} /> },
  {
    head: heads.since,
    cell: ({ holder, lease }) => {
      const since = holder?.since ?? lease?.since;
      return since ? <Instant at={since} as="both" /> : null;
    },
  },
  { head: heads.worker, cell: ({ holder, lease }) => holder?.worker ?? lease?.worker ?? null },
  {
    head: heads.lease,
    cell: ({ lease }) => (lease === null ? common.none : text.lease(durationWords(lease.expiresInMs))),
  },
  { head: fleet.actions, isForActions: true, cell: (slot) => <Release slot={slot} onRelease={onRelease} /> },
];

/** Slot by slot: who has it, and since when. */
export function Slots({ slots }: { slots: readonly Slot[] }) {
  // As it was when it was asked for: by now another run may have it.
  const [asked, setAsked] = useState<Slot | null>(null);
  return (
    <Panel title={text.slots} note={text.slotsNote} flush>
      <DataTable label={text.slots} columns={columnsOf(setAsked)} rows={slots} keyOf={({ slot }) => String(slot)} />
      {asked ? <ReleaseDialog asked={asked} slots={slots} onClose={() => setAsked(null)} /> : null}
    </Panel>
  );
}

function Holder({ slot: { holder, lease } }: { slot: Slot }) {
  const runId = holder?.runId ?? lease?.runId;
  return runId === undefined ? common.none : <Link {...toRun(runId)}>{holder?.taskName ?? runId}</Link>;
}
