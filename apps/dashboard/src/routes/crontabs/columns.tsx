import { Link } from '@tanstack/react-router';
import { toTask } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { durationWords } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import { headingTo, type Line, nextSide } from './crontab.ts';
import type { Wanted } from './cutover-dialog.tsx';
import { RunBy } from './run-by.tsx';
import styles from './screen.module.css';
import { SettleAction } from './settle-action.tsx';

const { crontabs: text, common } = words;
const { column: heads } = text;

const LOOKS: Readonly<Record<Line['state'], Look>> = {
  agrees: { tone: 'good', shape: 'check', words: text.states.agrees },
  differs: { tone: 'bad', shape: 'cross', words: text.states.differs },
  silent: { tone: 'attention', shape: 'question', words: text.states.silent },
};

export const columnsOf = (onAsk: (wanted: Wanted) => void): readonly Column<Line>[] => [
  {
    head: heads.line,
    cell: ({ task, taskId, meaning, schedule }) => (
      <>
        <Link {...toTask(taskId)}>{task}</Link>
        <div className={styles.small} title={schedule}>
          {meaning}
        </div>
      </>
    ),
  },
  {
    head: heads.command,
    cell: ({ command, user }) => (
      <>
        <code className={styles.command} title={command}>
          {command}
        </code>
        {user === null ? null : <div className={styles.small}>{text.as(user)}</div>}
      </>
    ),
  },
  { head: heads.state, cell: ({ state }) => <StateMark look={LOOKS[state]} /> },
  { head: heads.side, cell: (line) => <RunBy line={line} /> },
  {
    head: heads.agreed,
    isNumber: true,
    cell: ({ agreed, pending }) => (
      <>
        {agreed.toLocaleString('en')}
        {pending === 0 ? null : <div className={styles.small}>{text.pending(pending)}</div>}
      </>
    ),
  },
  { head: heads.onlyCron, isNumber: true, cell: ({ onlyCron }) => onlyCron.toLocaleString('en') },
  { head: heads.onlyHere, isNumber: true, cell: ({ onlyHere }) => onlyHere.toLocaleString('en') },
  { head: heads.went, cell: (line) => <Went line={line} /> },
  { head: heads.actions, isForActions: true, cell: (line) => <Actions line={line} onAsk={onAsk} /> },
];

/** How far off cron was, how long the command took, and how it ended. */
function Went({ line: { offByMs, tookMs, exits } }: { line: Line }) {
  return (
    <div className={styles.went}>
      {offByMs === null ? null : <div>{text.offBy(spanOf(offByMs))}</div>}
      {tookMs === null ? null : <div>{text.took(spanOf(tookMs))}</div>}
      {exits.length === 0 ? null : <div>{text.exits(exits)}</div>}
    </div>
  );
}

function spanOf({ middle, most }: NonNullable<Line['offByMs']>): string {
  return text.span(durationWords(middle), durationWords(most));
}

/** To the fleet, or back; and what its host has not answered. */
function Actions({ line, onAsk }: { line: Line; onAsk: (wanted: Wanted) => void }) {
  const mayEdit = useMay('edit');
  const to = nextSide(line);
  const { cutover } = line;
  return (
    <div className={styles.acts}>
      <ActionButton
        words={to === 'fleet' ? text.cutOver : text.back}
        whyNot={mayEdit ? whyNot(line) : common.notAllowed('edit')}
        onClick={() => onAsk({ to, lines: [line.id], name: line.task })}
      />
      {cutover?.state === 'proposed' ? <SettleAction line={line} cutover={cutover} /> : null}
    </div>
  );
}

function whyNot(line: Line): string | null {
  const { cutover, hosts } = line;
  if (cutover?.state === 'proposed') return text.whyNot.asked(cutover.host);
  if (headingTo(line) === 'unknown') return text.whyNot.unknown;
  return hosts.length === 0 ? text.whyNot.silent : null;
}
