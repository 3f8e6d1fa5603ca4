import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { words } from '../../words/index.ts';
import type { Rule } from './document.ts';
import styles from './screen.module.css';

const { alerting: text, alerts } = words;
const { rule: heads } = text;

const LOOKS: Readonly<Record<NonNullable<Rule['severity']>, Look>> = {
  critical: { tone: 'bad', shape: 'cross', words: alerts.severities.critical },
  warning: { tone: 'attention', shape: 'hand', words: alerts.severities.warning },
  info: { tone: 'quiet', shape: 'dot', words: alerts.severities.info },
};

const COLUMNS: readonly Column<Rule>[] = [
  {
    head: heads.name,
    cell: ({ name, enabled = true }) => (
      <>
        {name}
        {enabled ? null : <div className={styles.off}>{text.off}</div>}
      </>
    ),
  },
  {
    head: heads.when,
    cell: ({ when, note }) => (
      <>
        {text.condition(when)}
        {note === undefined ? null : <div className={styles.small}>{note}</div>}
      </>
    ),
  },
  { head: heads.on, cell: ({ on }) => scopeWords(on) },
  { head: heads.severity, cell: ({ severity = 'warning' }) => <StateMark look={LOOKS[severity]} /> },
  { head: heads.lasts, cell: ({ forMs = 0 }) => (forMs === 0 ? text.atOnce : text.after(forMs)) },
];

function scopeWords({ task, pool, monitor, labels }: NonNullable<Rule['on']> = {}): string {
  if (task !== undefined) return text.onTask(task);
  if (pool !== undefined) return text.onPool(pool);
  if (monitor !== undefined) return text.onMonitor(monitor);
  if (labels === undefined) return text.onAll;
  const pairs = Object.entries(labels).map((pair) => pair.join('='));
  return text.onLabels(pairs.join(', '));
}

/** What alerts there are. */
export function Rules({ rules, version }: { rules: readonly Rule[]; version: number }) {
  return (
    <Panel title={text.rules} note={version === 0 ? text.defaults : text.version(version)} flush>
      {rules.length === 0 ? (
        <Empty title={text.noRules} />
      ) : (
        <DataTable label={text.rules} columns={COLUMNS} rows={rules} keyOf={({ name }) => name} />
      )}
    </Panel>
  );
}
