import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { toRun, toRuns } from '../../links.ts';
import { Answer } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { durationWords } from '../../time/durations.ts';
import { Elapsed } from '../../time/elapsed.tsx';
import { useNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Run = components['schemas']['Run'];

const { now: text } = words;
const QUERY = 'state:running';
const SHOWN = 10;
/** A duration is learned over days: it need not be asked for again soon. */
const USUAL_STALE_MS = 10 * 60_000;

/** What runs, and how far it is: by what it reports, or beside what is usual. */
export function RunningNow({ running }: { running: number }) {
  const runs = useQuery(get('/v1/runs/longest', { query: { limit: SHOWN } }));
  return (
    <Panel title={text.running} note={running || undefined} actions={<Link {...toRuns(QUERY)}>{text.all}</Link>} flush>
      <Answer of={runs} skeleton={<SkeletonRows rows={4} />}>
        {({ items }) =>
          items.length === 0 ? <Empty title={text.runningEmpty} /> : <Rows runs={items} running={running} />
        }
      </Answer>
    </Panel>
  );
}

/** Those that have run longest: they are the ones to ask about. */
function Rows({ runs, running }: { runs: readonly Run[]; running: number }) {
  return (
    <>
      <ul className={styles.list}>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </ul>
      {running > runs.length ? <p className={styles.foot}>{text.andMore(running - runs.length)}</p> : null}
    </>
  );
}

function Row({ run: { id, taskName, startedAt, progress, worker } }: { run: Run }) {
  return (
    <li className={styles.run}>
      <span className="cut">
        <Link {...toRun(id)}>{taskName}</Link> <span className="quiet">{worker}</span>
      </span>
      {progress?.total ? (
        <Done share={progress.done / progress.total} />
      ) : startedAt === null ? (
        <span />
      ) : (
        <Usual task={taskName} startedAt={startedAt} />
      )}
      <span className={styles.right}>{startedAt === null ? null : <Elapsed from={startedAt} to={null} />}</span>
    </li>
  );
}

function Done({ share }: { share: number }) {
  const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
  return (
    <div className={styles.bar} role="img" aria-label={text.done(percent)} title={text.done(percent)}>
      <div className={styles.done} style={{ width: `${percent}%` }} />
    </div>
  );
}

/** Nothing is told of how far it is: how long beside how long is usual. Never a made-up share. */
function Usual({ task, startedAt }: { task: string; startedAt: string }) {
  const now = useNow();
  const stats = useQuery({
    ...get('/v1/task/stats', { query: { name: task, since: '7d' } }),
    staleTime: USUAL_STALE_MS,
  });
  const usualMs = stats.data?.tasks[0]?.p50Ms ?? null;
  if (usualMs === null) return <span />;
  const elapsedMs = now - Date.parse(startedAt);
  const said = text.usual(durationWords(usualMs));
  return (
    <div className={styles.bar} role="img" aria-label={said} title={said}>
      <div
        className={elapsedMs > 2 * usualMs ? `${styles.usual} ${styles.late}` : styles.usual}
        style={{ width: `${Math.min(100, (100 * elapsedMs) / usualMs)}%` }}
      />
    </div>
  );
}
