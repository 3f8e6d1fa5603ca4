import { Checkbox } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { pages } from '../../api/get.ts';
import { toRecovery, toRun } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import styles from './screen.module.css';

type HeldRun = components['schemas']['HeldRun'];

const { recovery: text } = words;
const { runColumn: heads } = text;
const PAGE = 50;
/** As many as one act takes by their ids. */
const MOST = 1000;

/** The held runs of a task, one by one: some can be run, and some dropped. */
export function RunsOf({ task, onAsked }: { task: string; onAsked: (id: string) => void }) {
  const list = useInfiniteQuery(pages('/v1/recovery/runs', { query: { task, limit: PAGE } }));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <Panel
      title={text.runsOf(task)}
      note={text.runsOrder}
      actions={<Link {...toRecovery()}>{text.closeRuns}</Link>}
      flush
    >
      <Answer of={list} skeleton={<SkeletonRows rows={4} />}>
        {({ pages: read }) => {
          const runs = read.flatMap(({ items }) => items);
          return runs.length === 0 ? (
            <Empty title={text.noRuns} />
          ) : (
            <Runs task={task} runs={runs} chosen={chosen} onChosen={setChosen} onAsked={onAsked} />
          );
        }}
      </Answer>
      {list.hasNextPage ? (
        <div className={styles.foot}>
          <MoreButton list={list} words={words.common.more} />
        </div>
      ) : null}
    </Panel>
  );
}

interface RunsProps {
  task: string;
  runs: readonly HeldRun[];
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
  onAsked: (id: string) => void;
}

function Runs({ task, runs, chosen, onChosen, onAsked }: RunsProps) {
  // Those that others have decided about meanwhile are chosen no more.
  const ids = runs.map(({ id }) => id).filter((id) => chosen.has(id));
  const isAll = ids.length === runs.length;
  const none = ids.length === 0 ? text.chooseFirst : ids.length > MOST ? text.tooMany(MOST) : null;
  const columns: readonly Column<HeldRun>[] = [
    {
      head: heads.occurrence,
      cell: ({ id, scheduledFor }) => (
        <Checkbox
          className={styles.pick ?? ''}
          label={<Instant at={scheduledFor} as="both" />}
          checked={chosen.has(id)}
          onChange={() => onChosen(new Set(chosen.has(id) ? ids.filter((each) => each !== id) : [...ids, id]))}
        />
      ),
    },
    ...COLUMNS,
  ];
  return (
    <>
      <div className={styles.foot}>
        <Checkbox
          label={text.choose(runs.length)}
          checked={isAll}
          indeterminate={ids.length > 0 && !isAll}
          onChange={() => onChosen(new Set(isAll ? [] : runs.map(({ id }) => id)))}
        />
        <Actions
          which={{ task, runs: ids }}
          run={text.runChosen(ids.length)}
          drop={text.dropChosen(ids.length)}
          whyNot={none}
          onAsked={onAsked}
        />
      </div>
      <DataTable label={text.runsOf(task)} columns={columns} rows={runs} keyOf={({ id }) => id} />
    </>
  );
}

const COLUMNS: readonly Column<HeldRun>[] = [
  { head: heads.key, cell: ({ key }) => key },
  { head: heads.why, cell: ({ reason, newest }) => [reason, newest ? text.newest : null].filter(Boolean).join('. ') },
  { head: heads.run, cell: ({ id }) => <Link {...toRun(id)}>{text.see}</Link> },
];
