import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { get } from '../../api/get.ts';
import { toKey, toRun } from '../../links.ts';
import { Asked } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty, Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Release, ReleaseDialog, type Slot } from './release.tsx';
import styles from './screen.module.css';

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
        <Link {...toKey(key)}>{key}</Link>
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
  { head: text.actions, isForActions: true, cell: (slot) => <Release slot={slot} onRelease={onRelease} /> },
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
