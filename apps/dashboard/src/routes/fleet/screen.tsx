import { Page } from '../../parts/page.tsx';
import { words } from '../../words/index.ts';
import { FreezeAction, Frozen } from './freeze.tsx';
import { Keys } from './keys.tsx';
import { Pools } from './pools.tsx';
import { Redis } from './redis.tsx';
import { Schedulers } from './schedulers.tsx';
import { Workers } from './workers.tsx';

/** Who does the work, what waits for whom, and what stands in its way. */
export function FleetScreen() {
  return (
    <Page title={words.fleet.title} beside={<FreezeAction />}>
      <Redis />
      <Frozen />
      <Pools />
      <Workers />
      <Schedulers />
      <Keys />
    </Page>
  );
}
