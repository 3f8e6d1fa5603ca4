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
import { useNow, useOfNow } from '../../time/now.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Run = components['schemas']['RunningRun'];

const { now: text } = words;
const QUERY = 'state:running';
const SHOWN = 10;
/** Beyond so many times what is usual it is said that it takes long: `takesLong` of the words has the same. */
const LONG_TIMES = 2;

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

function Row({ run: { id, taskName, startedAt, progress, worker, usual } }: { run: Run }) {
  const takesLong = useOfNow((now) => (isBeyond(now, startedAt, usual) ? 'long' : '')) === 'long';
  return (
    <li data-row className={styles.run}>
      <span className="cut">
        <Link {...toRun(id)}>{taskName}</Link> <span className="quiet">{worker}</span>
      </span>
      {progress?.total ? (
        <Done share={progress.done / progress.total} />
      ) : startedAt === null || usual === null ? (
        <span />
      ) : (
        <Usual usualMs={usual.p50Ms} startedAt={startedAt} takesLong={takesLong} />
      )}
      <span className={styles.right}>{startedAt === null ? null : <Elapsed from={startedAt} to={null} />}</span>
      {takesLong && usual !== null ? (
        <span className={styles.barNote}>{text.takesLong(durationWords(usual.p50Ms))}</span>
      ) : null}
    </li>
  );
}

function isBeyond(now: number, startedAt: string | null, usual: Run['usual']): boolean {
  return startedAt !== null && usual !== null && now - Date.parse(startedAt) > LONG_TIMES * usual.p50Ms;
}

function Done({ share }: { share: number }) {
  const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
  return (
    <div className={styles.bar} role="img" aria-label={text.done(percent)} title={text.done(percent)}>
      <div className={styles.done} style={{ width: `${percent}%` }} />
    </div>
  );
}

interface UsualProps {
  usualMs: number;
  startedAt: string;
  takesLong: boolean;
}

/** Nothing is told of how far it is: how long beside how long is usual. Never a made-up share. */
function Usual({ usualMs, startedAt, takesLong }: UsualProps) {
  const elapsedMs = useNow() - Date.parse(startedAt);
  const said = text.usual(durationWords(usualMs));
  return (
    <div className={styles.bar} role="img" aria-label={said} title={said}>
      <div
        className={takesLong ? `${styles.usual} ${styles.late}` : styles.usual}
        style={{ width: `${Math.min(100, (100 * elapsedMs) / usualMs)}%` }}
      />
    </div>
  );
}
