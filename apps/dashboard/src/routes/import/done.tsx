import { Link } from '@tanstack/react-router';
import { toTasks } from '../../links.ts';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/index.ts';
import { WrittenLines } from './lines.tsx';
import styles from './screen.module.css';
import type { CrontabReport } from './use-crontab.ts';

const { imports: text } = words;

/** What became of each line. */
export function Done({ report }: { report: CrontabReport }) {
  const { counts, lines } = report;
  const isWhole = counts.failed === 0;
  return (
    <>
      <Note
        tone={isWhole ? 'good' : 'attention'}
        shape={isWhole ? 'check' : 'cross'}
        title={text.done(counts)}
        role="status"
        actions={<Link {...toTasks({ sort: 'updated' })}>{text.showTasks}</Link>}
      />
      <Panel title={text.written} flush>
        <WrittenLines lines={lines} />
      </Panel>
      <p className={styles.remark}>{text.stopCron}</p>
    </>
  );
}
