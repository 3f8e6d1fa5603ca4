import { BulkActions } from '../../parts/bulk/actions.tsx';
import { BulkRefused } from '../../parts/bulk/refused.tsx';
import { ResultsButton } from '../../parts/bulk/results-button.tsx';
import { isOver, percentOf } from '../../parts/bulk/state.ts';
import { ShareBar } from '../../parts/share-bar.tsx';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { type HeldRequest, leftMs } from './held-action.ts';
import styles from './screen.module.css';

const { recovery: text } = words;

const LOOKS: Readonly<Record<HeldRequest['state'], Look>> = {
  waiting: { tone: 'waiting', shape: 'clock', words: text.states.waiting },
  running: { tone: 'busy', shape: 'play', words: text.states.running },
  paused: { tone: 'attention', shape: 'hand', words: text.states.paused },
  done: { tone: 'good', shape: 'check', words: text.states.done },
  cancelled: { tone: 'quiet', shape: 'slash', words: text.states.cancelled },
  failed: { tone: 'bad', shape: 'cross', words: text.states.failed },
};

/** A decision about held runs: what, by whom and why, and how far it is. */
export function Request({ request }: { request: HeldRequest }) {
  const { action, askedBy, askedAt, reason, state, error } = request;
  return (
    <li className={styles.request} data-row>
      <div className={styles.what}>
        <div className={styles.head}>
          <StateMark look={LOOKS[state]} />
          <strong>{text.action[action.kind](action)}</strong>
        </div>
        <p className={styles.facts}>
          <span>
            {text.by(askedBy.name, reason)} <Instant at={askedAt} as="relative" />
          </span>
          <Pace request={request} />
        </p>
        <Share request={request} />
        {error === null ? null : <p>{[error.message, error.fix].filter(Boolean).join('. ')}</p>}
      </div>
      <div className={styles.acts}>
        {isOver(request) ? null : (
          <BulkActions request={request} right={action.kind === 'run_held' ? 'rerun' : 'cancel'} words={text} />
        )}
        {request.counts === null ? null : <ResultsButton id={request.id} />}
      </div>
    </li>
  );
}

function Pace({ request }: { request: HeldRequest }) {
  const { spacingMs = 0, fromAt = null, order = null } = request.action;
  const left = leftMs(request);
  return (
    <>
      {order === null ? null : <span>{text.firstOf(order)}</span>}
      {spacingMs > 0 ? <span>{text.every(durationWords(spacingMs))}</span> : null}
      {fromAt === null ? null : (
        <span>
          {text.from} <Instant at={fromAt} as="both" />
        </span>
      )}
      {left !== null && left > 0 ? <span>{text.left(durationWords(left))}</span> : null}
    </>
  );
}

function Share({ request: { counts, action } }: { request: HeldRequest }) {
  if (counts === null) return null;
  const { total, done, dropped, passed, refusedCount } = counts;
  const said = [
    text.counts[action.kind](done, total),
    ...(dropped > 0 ? [text.dropped(dropped)] : []),
    ...(passed > 0 ? [text.passed(passed)] : []),
    ...(refusedCount > 0 ? [text.refused(refusedCount)] : []),
  ].join(', ');
  return (
    <>
      <span role="status">{said}</span>
      <ShareBar percent={percentOf(counts)} label={said} />
      <BulkRefused counts={counts} />
    </>
  );
}
