import type { FailingReceiver } from '@escapement/store';
import { type Finding, warning } from './finding.ts';

/** Mistakes of the document that are named. */
const NAMED = 10;

/** What keeps rules from firing, and people from being told: of the document in force, and of the last message to each receiver. */
export function judgeAlerting({
  mistakes,
  failing,
}: {
  mistakes: readonly string[];
  failing: readonly FailingReceiver[];
}): Finding[] {
  const more = mistakes.length - NAMED;
  return [
    ...failing.map(({ receiver, error }) =>
      warning(
        'Alerts',
        `the last message to ${receiver} has not arrived: ${error}`,
        `correct it, and try it: \`escapement alerts test ${receiver}\``,
      ),
    ),
    ...mistakes.slice(0, NAMED).map((each, index) => {
      const others = index === NAMED - 1 && more > 0 ? ` (and ${more} more)` : '';
      return warning(
        'Alerts',
        `${each}${others}`,
        'correct what `escapement alerts get` prints, and save it: `escapement alerts set`',
      );
    }),
  ];
}
