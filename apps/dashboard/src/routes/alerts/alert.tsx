import { Link } from '@tanstack/react-router';
import { toRun } from '../../links.ts';
import { StateMark } from '../../parts/state.tsx';
import type { Look } from '../../states.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import type { AlertOf } from './answer.ts';
import styles from './screen.module.css';

const { alerts: text } = words;
const SHOWN_RUNS = 3;

/** An alert: what, why, since when, whom it is notified to, and what can be done. */
export function Alert({ alert }: { alert: AlertOf }) {
  const { rule, severity, summary, why, since, resolvedAt, resolvedWhy } = alert;
  return (
    <li className={styles.alert} data-row>
      <div className={styles.what}>
        <div className={styles.head}>
          <StateMark look={lookOf(alert)} />
          <strong>{summary}</strong>
          <span className="quiet">{text.severities[severity]}</span>
        </div>
        {why.map((each) => (
          <p key={each}>{each}</p>
        ))}
        <p className={styles.facts}>
          <span>
            {text.since} <Instant at={since} as="both" />
          </span>
          {resolvedAt === null ? null : (
            <span>
              {text.resolved} <Instant at={resolvedAt} as="both" />
              {resolvedWhy === null ? null : `: ${resolvedWhy}`}
            </span>
          )}
          <span className="quiet">{text.rule(rule)}</span>
          <Runs alert={alert} />
        </p>
        <Notified alert={alert} />
      </div>
      <Actions alert={alert} />
    </li>
  );
}

function lookOf({ state, severity, acknowledgedAt }: AlertOf): Look {
  if (state === 'resolved') return { tone: 'good', shape: 'check', words: text.states.resolved };
  if (acknowledgedAt !== null) return { tone: 'attention', shape: 'hand', words: text.states.acknowledged };
  if (state === 'pending') return { tone: 'waiting', shape: 'clock', words: text.states.pending };
  return { tone: severity === 'critical' ? 'bad' : 'attention', shape: 'cross', words: text.states.firing };
}

function Runs({ alert: { runs } }: { alert: AlertOf }) {
  return runs.slice(0, SHOWN_RUNS).map(({ id }, index) => (
    <Link key={id} {...toRun(id)}>
      {runs.length === 1 ? text.run : text.runs(index + 1)}
    </Link>
  ));
}

function Notified({ alert: { acknowledgedBy, note, muted, notified, state } }: { alert: AlertOf }) {
  const receivers = [...new Set(notified.map(({ receiver }) => receiver))];
  return (
    <p className="quiet">
      {acknowledgedBy === null ? null : `${text.acknowledgedBy(acknowledgedBy, note)}. `}
      {muted === null ? null : `${text.muted(muted)}. `}
      {receivers.length > 0 ? text.notified(receivers) : state === 'firing' ? text.notifiedNobody : null}
    </p>
  );
}
