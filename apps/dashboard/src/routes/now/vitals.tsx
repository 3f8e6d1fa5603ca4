import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { toFleet, toRuns } from '../../links.ts';
import { Bar } from '../../parts/skeleton.tsx';
import { durationWords, roughly } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

const { now: text } = words;
const WAITING = 'state:queued,planned,retrying';
const FAILED = 'state:failed,timed_out,quarantined since:-1h';

interface VitalsProps {
  fleet: components['schemas']['FleetFigures'] | null;
  failures: { lastHour: number; aWeekAgo: number } | null;
}

/** Four numbers that say how the fleet is, each with a link to what it is made of. */
export function Vitals({ fleet, failures }: VitalsProps) {
  return (
    <dl className={styles.vitals} aria-label={text.vitals}>
      {fleet ? (
        <OfFleet fleet={fleet} />
      ) : (
        [0, 1, 2].map((key) => <Vital key={key} name=" " link={null} value={null} note=" " />)
      )}
      <Vital
        name={text.failures}
        link={toRuns(FAILED)}
        value={failures?.lastHour.toLocaleString('en') ?? null}
        note={failures ? text.failuresNote(failures.aWeekAgo) : ' '}
      />
    </dl>
  );
}

function OfFleet({ fleet }: { fleet: NonNullable<VitalsProps['fleet']> }) {
  const { schedulers, plannerLagMs, plannerPassAgeMs, pools } = fleet;
  const total = (count: (pool: (typeof pools)[number]) => number) => pools.reduce((sum, pool) => sum + count(pool), 0);
  const alive = total(({ workers }) => workers);
  const expected = total(({ workers, expectedWorkers }) => expectedWorkers ?? workers);
  const overdue = total((pool) => pool.overdue);
  const longestMs = Math.max(0, ...pools.map((pool) => pool.longestMs));
  return (
    <>
      <Vital
        name={text.lag}
        link={toFleet()}
        value={schedulers === 0 ? text.noScheduler : durationWords(Math.max(plannerLagMs, 0))}
        note={plannerPassAgeMs === null ? ' ' : text.lagNote(roughly(plannerPassAgeMs))}
      />
      <Vital
        name={text.workers}
        link={toFleet()}
        value={text.workersOf(alive, expected)}
        note={text.workersNote(total(({ running }) => running))}
      />
      <Vital
        name={text.waiting}
        link={toRuns(WAITING)}
        value={overdue === 0 ? text.none : durationWords(longestMs)}
        note={text.waitingNote(overdue)}
      />
    </>
  );
}

interface VitalProps {
  name: string;
  /** Null: nothing is known yet. */
  link: LinkProps | null;
  value: ReactNode;
  note: string;
}

function Vital({ name, link, value, note }: VitalProps) {
  return (
    <div className={styles.vital}>
      <dt>{link ? <Link {...link}>{name}</Link> : name}</dt>
      <dd className="figures">{value ?? <Bar width="50%" height={28} />}</dd>
      <dd className={styles.note}>{note}</dd>
    </div>
  );
}
