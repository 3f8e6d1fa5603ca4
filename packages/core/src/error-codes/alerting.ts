import type { ErrorFacts } from './error-facts.ts';

/** Alerts and monitors. */
export const ALERTING_ERRORS = {
  alert_not_firing: {
    when: 'the alert has ended, so there is nothing to acknowledge',
    fix: 'see `escapement alerts list`',
    status: 409,
    exit: 2,
  },
  bad_alerting: {
    when: 'the rules, receivers or routes are not valid',
    fix: 'correct what is named; see alerts.md',
    status: 400,
    exit: 2,
  },
  bad_monitor: { when: 'a monitor is not valid', fix: 'correct what is named', status: 400, exit: 2 },
  bad_id: {
    when: 'what was given is not the number of an alert or a silence',
    fix: 'see `escapement alerts list` or `escapement alerts silences`',
    status: 400,
    exit: 2,
  },
  bad_match: {
    when: 'the labels that select alerts cannot be read',
    fix: 'give labels such as `task=nightly,rule=failed`',
    status: 400,
    exit: 2,
  },
  bad_ping_run: {
    when: '`rid` of a ping is not the id of a run',
    fix: 'give a UUID, or 1 to 100 letters, digits and `._:-`',
    status: 400,
    exit: 2,
  },
  bad_yaml: { when: 'a file is neither YAML nor JSON', fix: 'correct the line that is named', status: 400, exit: 2 },
  no_scheduler: {
    when: 'no scheduler sent the test of a receiver in time',
    fix: 'see `escapement doctor`: at least one has to run',
    status: null,
    exit: 2,
  },
  no_topic: {
    when: 'the URL of a receiver of ntfy names no topic',
    fix: 'give it as `https://ntfy.sh/TOPIC`',
    status: null,
    exit: 2,
  },
  test_failed: {
    when: 'the test message did not reach the receiver',
    fix: 'correct the receiver, and test it again',
    status: null,
    exit: 2,
  },
  too_many_pings: {
    when: 'there were too many pings',
    fix: 'wait as long as `Retry-After` says',
    status: 429,
    exit: 2,
  },
  unknown_alert: {
    when: 'there is no alert with this number',
    fix: 'see `escapement alerts list --all`',
    status: '404 or 422',
    exit: 2,
  },
  unknown_delivery: {
    when: 'there is no delivery with this number',
    fix: 'see `escapement alerts deliveries`',
    status: '404 or 422',
    exit: 2,
  },
  unknown_monitor: {
    when: 'there is no monitor of this name',
    fix: 'see `escapement monitors list`',
    status: '404 or 422',
    exit: 2,
  },
  unknown_ping: {
    when: 'no monitor has this URL',
    fix: 'check the URL; it may have been replaced',
    status: '404 or 422',
    exit: 2,
  },
  unknown_receiver: {
    when: 'there is no receiver of this name',
    fix: 'see `escapement alerts rules`',
    status: '404 or 422',
    exit: 2,
  },
  unknown_silence: {
    when: 'no silence with this number is in force',
    fix: 'see `escapement alerts silences`',
    status: '404 or 422',
    exit: 2,
  },
} as const satisfies Record<string, ErrorFacts>;
