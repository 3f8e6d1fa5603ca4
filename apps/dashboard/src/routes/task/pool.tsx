import { Facts } from '../../parts/facts.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';
import styles from './screen.module.css';

const { task: text } = words;

/** The workers that run a task, and what waits for them. */
export function PoolOf({ pool }: { pool: TaskDescription['pool'] }) {
  const { name, workers, waiting, running, oldestDueAt, pause } = pool;
  const { poolFact } = text;
  return (
    <Panel title={text.pool}>
      <div className={styles.figures}>
        <Facts
          of={[
            [poolFact.name, name],
            [poolFact.workers, workers.join(', ') || text.noWorkers],
            [poolFact.waiting, waiting],
            [poolFact.running, running],
            [poolFact.oldest, oldestDueAt && <Instant key="oldest" at={oldestDueAt} as="relative" />],
          ]}
        />
        {pause === null ? null : (
          <Note tone="attention" shape="hand" title={text.poolPaused(pause.by)}>
            {pause.note}
          </Note>
        )}
      </div>
    </Panel>
  );
}
