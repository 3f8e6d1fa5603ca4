import { counted } from '@escapement/core';
import type { ConditionKind } from '@escapement/core/alerts';
import type { FailingReceiver } from '@escapement/store';
import type { WithoutReceiver } from '../alerts/index.ts';
import { type Finding, ok, warning } from './finding.ts';

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

/** Of the environment of whoever asks: what counts is that of the schedulers. */
export function judgeReceivers({ tasks, monitors }: WithoutReceiver): Finding[] {
  const fine =
    tasks.count === 0
      ? ok('Alerts', 'there is no task that could fail')
      : ok('Alerts', `somebody is told of failures of each of ${counted(tasks.count, 'task')}`);
  return [
    tasks.unreceived.length === 0 ? fine : judgeUnreceived('of failures of', 'task', tasks),
    ...(monitors.unreceived.length === 0 ? [] : [judgeUnreceived('where a ping is missing of', 'monitor', monitors)]),
  ];
}

function judgeUnreceived(when: string, what: string, { count, unreceived: names }: WithoutReceiver['tasks']): Finding {
  const shown = names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return warning(
    'Alerts',
    `nobody is told ${when} ${names.length === count ? `any ${what}` : `${shown}${more}`} (as far as this environment tells); \`escapement alerts inbox\` keeps them`,
    'save receivers and routes with `escapement alerts set`, or set ESCAPEMENT_NOTIFY_EMAIL or ESCAPEMENT_NOTIFY_WEBHOOK for the schedulers',
  );
}
