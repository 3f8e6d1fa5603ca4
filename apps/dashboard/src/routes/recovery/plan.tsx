import { Button, Checkbox } from '@mantine/core';
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
/** As many as one act takes by their names. */
const MOST = 1000;

interface PlanProps {
  tasks: readonly HeldTask[];
  onAsked: (id: string) => void;
}

/** What each task would have run, why it is held, and what can be done about it. */
export function Plan({ tasks, onAsked }: PlanProps) {
  const [shown, setShown] = useState(PAGE);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const rows = tasks.slice(0, shown);
  const isChoice = tasks.length > 1;
  // Those of which nothing is held any more are chosen no more.
  const names = rows.map(({ task }) => task).filter((task) => chosen.has(task));
  const held = tasks.reduce((sum, task) => sum + task.held, 0);
  const onTask = (task: string) =>
    setChosen(new Set(chosen.has(task) ? names.filter((each) => each !== task) : [...names, task]));
  const columns: readonly Column<HeldTask>[] = [
    {
      head: heads.task,
      cell: (row) => (
        <div className={styles.task}>
          {isChoice ? (
            <Checkbox
              aria-label={text.chooseTask(row.task)}
              checked={chosen.has(row.task)}
              onChange={() => onTask(row.task)}
            />
          ) : null}
          <TaskOf row={row} />
        </div>
      ),
    },
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
        {isChoice ? (
          <Choice
            rows={rows}
            chosen={names}
            onAll={() => setChosen(new Set(names.length === rows.length ? [] : rows.map(({ task }) => task)))}
            onAsked={onAsked}
          />
        ) : null}
        <DataTable label={text.plan} columns={columns} rows={rows} keyOf={({ taskId }) => taskId} />
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

interface ChoiceProps {
  rows: readonly HeldTask[];
  /** By name. */
  chosen: readonly string[];
  onAll: () => void;
  onAsked: (id: string) => void;
}

/** Several tasks at once. */
function Choice({ rows, chosen, onAll, onAsked }: ChoiceProps) {
  const count = chosen.length;
  const isAll = count === rows.length;
  return (
    <div className={styles.foot}>
      <Checkbox
        label={text.chooseTasks(rows.length)}
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        onChange={onAll}
      />
      <Acts
        which={{ tasks: chosen }}
        run={text.runTasks(count)}
        drop={text.dropTasks(count)}
        whyNot={count === 0 ? text.chooseTasksFirst : count > MOST ? text.tooManyTasks(MOST) : null}
        onAsked={onAsked}
      />
    </div>
  );
}

function TaskOf({ row: { task, taskId, description, priority } }: { row: HeldTask }) {
  return (
    <div>
      <Link {...toTask(taskId)}>{task}</Link>
      {description === null ? null : <div className={styles.remark}>{description}</div>}
      {priority === 0 ? null : <div className={styles.remark}>{text.priority(priority)}</div>}
    </div>
  );
}

const COLUMNS: readonly Column<HeldTask>[] = [
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
