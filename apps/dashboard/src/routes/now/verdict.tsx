import type { components } from '../../api/generated/openapi.ts';
import { ShapeMark } from '../../parts/shape.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { toneClass } from '../../parts/tones.ts';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import type { Thing } from './things.ts';

const { now: text } = words;
/** More are counted. */
const NAMED = 2;

interface VerdictProps {
  things: readonly Thing[] | null;
  /** There is more than these. */
  hasMore: boolean;
  fleet: components['schemas']['FleetFigures'] | null;
  failures: number | null;
}

/** One sentence: nothing needs you, or what does. It is read out when it changes. */
export function Verdict({ things, hasMore, fleet, failures }: VerdictProps) {
  if (things === null || fleet === null)
    return (
      <div className={`${styles.verdict} ${toneClass('quiet')}`} aria-busy="true">
        <span />
        <Bar width="60%" height={14} />
      </div>
    );
  const worst = things[0];
  const workers = fleet.pools.reduce((sum, pool) => sum + pool.workers, 0);
  return (
    <div className={`${styles.verdict} ${toneClass(worst?.tone ?? 'good')}`} role="status">
      <ShapeMark shape={worst?.shape ?? 'check'} size={24} />
      {worst ? (
        <p>
          <strong>{(hasMore ? text.needsAtLeast : text.needs)(things.length)}</strong> {sentence(things)}
        </p>
      ) : (
        <p>
          <strong>{text.well}</strong> {text.wellWith(workers, failures ?? 0)}
        </p>
      )}
    </div>
  );
}

function sentence(things: readonly Thing[]): string {
  const named = things.slice(0, NAMED).map(({ words: said }) => said);
  const left = things.length - named.length;
  return `${[...named, ...(left > 0 ? [text.andMore(left)] : [])].join('; ')}.`;
}
