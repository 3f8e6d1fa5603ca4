import type { ConditionKind } from '@escapement/core';
import type { FailingReceiver } from '@escapement/store';
import { type Finding, warning } from './finding.ts';

/** Mistakes of the document that are named. */
const NAMED = 10;

/** What keeps rules from firing, and people from being told: of the document in force, and of the last message to each receiver. */
export function judgeAlerting({
  mistakes,
  failing,
  missing,
}: {
  mistakes: readonly string[];
  failing: readonly FailingReceiver[];
  /** Conditions that the defaults have a rule for, and the document none. */
  missing: readonly ConditionKind[];
}): Finding[] {
  const more = mistakes.length - NAMED;
  return [
    ...(missing.length === 0
      ? []
      : [
          warning(
            'Alerts',
            `there is no rule for ${missing.join(', ')}, as the defaults have one: nobody is told of these`,
            'add them to the document, or, if that is meant, with `enabled: false`; docs/reference/alerts.md has the defaults',
          ),
        ]),
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
