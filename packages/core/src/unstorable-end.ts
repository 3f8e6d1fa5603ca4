import { storableText } from './json.ts';
import type { Verdict } from './verdict.ts';

const MAX_WHY = 500;

/**
 * The end of a run whose own Postgres refuses: without what the attempt left behind, of which a value is at fault. It ends now, since the
 * next attempt would do its work again and end in the same way.
 */
export function unstorableEnd({ to, lost, uncounted }: Verdict, why: string): Verdict {
  const reason = `its end as ${to} could not be stored: ${storableText(why).slice(0, MAX_WHY)}`;
  if (to !== 'succeeded' && to !== 'retrying') return { to, reason, lost, uncounted };
  return { to: 'failed', reason, lost, uncounted, error: { name: 'UnstorableEnd', message: reason } };
}
