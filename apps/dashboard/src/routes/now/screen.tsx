import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { words } from '../../words/index.ts';
import { Attention } from './attention.tsx';
import { NextHour } from './next-hour.tsx';
import { RunningNow } from './running-now.tsx';
import styles from './screen.module.css';
import { isCut, thingsOf } from './things.ts';
import { useKnown } from './use-known.ts';
import { Verdict } from './verdict.tsx';
import { Vitals } from './vitals.tsx';

/** Is everything well? One sentence with its evidence, and what it is made of. */
export function NowScreen() {
  const { known, failures, error, retry } = useKnown();
  const things = known ? thingsOf(known) : null;
  const hasMore = known !== null && isCut(known);
  const running = known?.fleet.pools.reduce((sum, pool) => sum + pool.running, 0) ?? 0;
  return (
    <Page title={words.now.title}>
      {error ? <ProblemNote error={error} onRetry={retry} /> : null}
      <Verdict things={things} hasMore={hasMore} fleet={known?.fleet ?? null} failures={failures?.lastHour ?? null} />
      <Vitals fleet={known?.fleet ?? null} failures={failures} />
      <div className={styles.columns}>
        <Attention things={things} hasMore={hasMore} />
        <RunningNow running={running} />
      </div>
      {/* Less urgent, and the largest answer: it is asked for once the verdict stands. */}
      {known || error ? <NextHour /> : null}
    </Page>
  );
}
