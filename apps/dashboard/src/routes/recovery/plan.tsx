import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { toRecovery, toTask } from '../../links.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Acts } from './acts.tsx';
import styles from './screen.module.css';

type HeldTask = components['schemas']['HeldTask'];

const { recovery: text, common } = words;
const { column: heads } = text;
const PAGE = 50;

interface PlanProps {
  tasks: readonly HeldTask[];
  onAsked: (id: string) => void;
}

/** What each task would have run, why it is held, and what can be done about it. */
export function Plan({ tasks, onAsked }: PlanProps) {
  const [shown, setShown] = useState(PAGE);
  const held = tasks.reduce((sum, task) => sum + task.held, 0);
  const columns: readonly Column<HeldTask>[] = [
    ...COLUMNS,
    {
      head: heads.acts,
      isActs: true,
      cell: ({ task }) => <Acts which={{ task }} run={text.run} drop={text.drop} onAsked={onAsked} />,
    },
  ];
  return (
    <>
      <p>
        {text.held(held, tasks.length)} <span className="quiet">{text.order}</span>
      </p>
      <Panel title={text.plan} flush>
        <DataTable label={text.plan} columns={columns} rows={tasks.slice(0, shown)} keyOf={({ taskId }) => taskId} />
        {tasks.length > shown ? (
          <p className={styles.foot}>
            {text.shown(shown, tasks.length)}
            <Button size="compact-sm" variant="default" onClick={() => setShown(shown + PAGE)}>
              {common.more}
            </Button>
          </p>
        ) : null}
      </Panel>
    </>
  );
}

const COLUMNS: readonly Column<HeldTask>[] = [
  {
    head: heads.task,
    cell: ({ task, taskId, description, priority }) => (
      <>
        <Link {...toTask(taskId)}>{task}</Link>
        {description === null ? null : <div className={styles.remark}>{description}</div>}
        {priority === 0 ? null : <div className={styles.remark}>{text.priority(priority)}</div>}
      </>
    ),
  },
  {
    head: heads.held,
    isNumber: true,
    cell: ({ task, held }) => (
      <span className={styles.whole}>
        <Link {...toRecovery({ task })}>{text.runs(held)}</Link>
      </span>
    ),
  },
  {
    head: heads.due,
    cell: ({ firstAt, lastAt, held }) => (
      <div>
        <span className={styles.whole}>
          <Instant at={firstAt} as="both" />
        </span>
        {held === 1 ? null : (
          <div className={styles.remark}>
            {text.to} <Instant at={lastAt} />
          </div>
        )}
      </div>
    ),
  },
  { head: heads.why, cell: ({ reason }) => reason ?? common.none },
];
