import { Button, Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toRecovery, toTask } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { type Column, DataTable, type RowLook } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import { type HeldTask, type Order, orderOf } from './order.ts';
import { OrderLine } from './order-line.tsx';
import { type Move, PlaceHandle } from './place-handle.tsx';
import styles from './screen.module.css';
import { type Among, idleMoves, type Ordering, useMoves } from './use-moves.ts';
import { type Drag, useRowDrag } from './use-row-drag.ts';

const { recovery: text, common } = words;
const { column: heads } = text;
const PAGE = 50;
/** As many as one act takes by their names. */
const MOST = 1000;

interface PlanProps {
  /** As they go on. */
  tasks: readonly HeldTask[];
  ordering: Ordering;
  onAsked: (id: string) => void;
}

/** What each task would have run, why it is held, in which order it goes on, and what can be done about it. */
export function Plan({ tasks, ordering, onAsked }: PlanProps) {
  const [shown, setShown] = useState(PAGE);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const all = tasks.map(({ task }) => task);
  const moves = useMoves(all, ordering);
  const dragging = useRowDrag(moves.moveTo);
  const rows = tasks.slice(0, shown);
  const isChoice = tasks.length > 1;
  // Those of which nothing is held any more are chosen no more.
  const names = rows.map(({ task }) => task).filter((task) => chosen.has(task));
  const onTask = (task: string) =>
    setChosen(new Set(chosen.has(task) ? names.filter((each) => each !== task) : [...names, task]));
  const onMove = (task: string, move: Move) => {
    moves.move(task, move);
    // What goes below those that are shown stays in sight.
    if (move === 'down') setShown(Math.max(shown, all.indexOf(task) + 2));
  };
  const nameOf = (row: HeldTask) =>
    isChoice ? (
      <div className={styles.task}>
        <Place
          task={row.task}
          at={all.indexOf(row.task)}
          among={{ ordered: moves.ordered, all: all.length }}
          onMove={onMove}
          dragging={dragging}
        />
        <Checkbox
          aria-label={text.chooseTask(row.task)}
          checked={chosen.has(row.task)}
          onChange={() => onTask(row.task)}
        />
        <TaskOf row={row} />
      </div>
    ) : (
      <TaskOf row={row} />
    );
  return (
    <>
      <Lead tasks={tasks} order={ordering.order} />
      <Panel title={text.plan} flush>
        {isChoice ? (
          <>
            <Choice
              rows={rows}
              chosen={names}
              order={orderOf(
                tasks.filter(({ task }) => names.includes(task)),
                ordering.order,
              )}
              onAll={() => setChosen(new Set(names.length === rows.length ? [] : rows.map(({ task }) => task)))}
              onAsked={onAsked}
            />
            <OrderLine tasks={tasks} order={ordering.order} said={moves.said} onReset={moves.reset} />
          </>
        ) : null}
        <DataTable
          label={text.plan}
          columns={[{ head: heads.task, cell: nameOf }, ...COLUMNS, actionsColumn(onAsked)]}
          rows={rows}
          keyOf={({ taskId }) => taskId}
          lookOf={looksOf(rows, dragging.drag)}
        />
        <More shown={shown} all={tasks.length} onMore={() => setShown(shown + PAGE)} />
      </Panel>
    </>
  );
}

/** How much is held, and how it goes on while nobody has said otherwise. */
function Lead({ tasks, order }: { tasks: readonly HeldTask[]; order: readonly string[] }) {
  const held = tasks.reduce((sum, task) => sum + task.held, 0);
  return (
    <p>
      {text.held(held, tasks.length)} {orderOf(tasks, order) ? null : <span className="quiet">{text.order}</span>}
    </p>
  );
}

function More({ shown, all, onMore }: { shown: number; all: number; onMore: () => void }) {
  if (all <= shown) return null;
  return (
    <p className={styles.foot}>
      {text.shown(shown, all)}
      <Button size="compact-sm" variant="default" onClick={onMore}>
        {common.more}
      </Button>
    </p>
  );
}

interface PlaceProps {
  task: string;
  /** Its place among all, from 0 on. */
  at: number;
  among: Among;
  onMove: (task: string, move: Move) => void;
  dragging: ReturnType<typeof useRowDrag>;
}

function Place({ task, at, among, onMove, dragging }: PlaceProps) {
  const whyNot = useMay('rerun') ? null : common.notAllowed('rerun');
  return (
    <PlaceHandle
      task={task}
      place={at < among.ordered ? at + 1 : null}
      whyNot={whyNot}
      idle={idleMoves(at, among)}
      onMove={(move) => onMove(task, move)}
      drag={dragging.handleOf(task)}
      isPress={dragging.isPress}
    />
  );
}

/** The row that is dragged follows the pointer; a line says where it goes. */
function looksOf(rows: readonly HeldTask[], drag: Drag | null): (row: HeldTask) => RowLook | undefined {
  if (!drag) return () => undefined;
  const others = rows.map(({ task }) => task).filter((task) => task !== drag.name);
  const isElsewhere = rows[drag.to]?.task !== drag.name;
  const last = drag.to === others.length ? others.at(-1) : undefined;
  return ({ task }) => {
    if (task === drag.name) return { className: styles.dragged, style: { transform: `translateY(${drag.byPx}px)` } };
    if (!isElsewhere) return undefined;
    if (task === others[drag.to]) return { className: styles.before };
    return task === last ? { className: styles.behind } : undefined;
  };
}

function actionsColumn(onAsked: (id: string) => void): Column<HeldTask> {
  return {
    head: heads.actions,
    isForActions: true,
    cell: ({ task }) => <Actions which={{ task }} run={text.run} drop={text.drop} onAsked={onAsked} />,
  };
}

interface ChoiceProps {
  rows: readonly HeldTask[];
  /** By name. */
  chosen: readonly string[];
  order: Order | undefined;
  onAll: () => void;
  onAsked: (id: string) => void;
}

/** Several tasks at once. */
function Choice({ rows, chosen, order, onAll, onAsked }: ChoiceProps) {
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
      <Actions
        which={{ tasks: chosen, ...(order ? { order } : {}) }}
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
