import { z } from 'zod';
import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import { monitorName } from '../monitors/spec.ts';
import { labels } from '../rights/labels.ts';
import { alertCondition, KINDS_OF_EVENTS, KINDS_OF_MONITORS } from './condition.ts';
import { parseMatch } from './match.ts';
import { SEVERITIES } from './message.ts';
import { receiverSpec } from './receiver.ts';
import { isoDays, localTime, readable, timeZone } from './wall-clock.ts';

const ruleName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and -');
const receiverName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, _ and -');

/** What a rule is for: a task or a monitor, all with these labels, all of a pool, or all. Of the rules of a kind the narrowest count. */
const scope = z
  .strictObject({
    task: z.string().min(1).max(200).optional(),
    labels: labels.optional(),
    pool: z.string().min(1).max(63).optional(),
    monitor: monitorName.optional(),
  })
  .refine((value) => Object.keys(value).length <= 1, { message: 'give one of task, monitor, labels and pool' });

const alertRule = z.strictObject({
  name: ruleName,
  when: alertCondition,
  /** Default: all tasks, or the fleet. */
  on: scope.default({}),
  /** Default `warning`. */
  severity: z.enum(SEVERITIES).default('warning'),
  /** It has to be so for so long before anybody is told. Milliseconds. Default 0. Not for what happens at an instant: `KINDS_OF_EVENTS`. */
  forMs: z
    .int()
    .min(0)
    .max(30 * DAY)
    .default(0),
  /** False: tasks that it is for have no rule of its kind, though a wider one may be there. Default true. */
  enabled: z.boolean().default(true),
  /** What to do then, for those who are told. Default: none. */
  note: z.string().min(1).max(1000).optional(),
});

/** When a route is open. */
const hours = z.strictObject({
  timeZone: timeZone,
  /** 1 is Monday, 7 Sunday (ISO 8601). Default: all. */
  days: isoDays.optional(),
  /** Default `00:00`. */
  from: localTime.optional(),
  /** Exclusive; earlier than `from`: on the next day. Default: the end of the day. */
  to: localTime.optional(),
  /** Calendars, by name: it is not open at what is in one of them. Default: none. */
  exclude: z.array(z.string().min(1)).min(1).max(20).optional(),
});
export type RouteHours = z.output<typeof hours>;

const route = z.strictObject({
  /** Labels that an alert has to have, as `team=shop,severity=critical`. Default: any. */
  match: z.string().min(1).superRefine(readable(parseMatch)).optional(),
  /** When it is open; else the next route that matches is asked. Default: always. */
  hours: hours.optional(),
  receivers: z.array(receiverName).max(20),
  /** Whether the routes after it are asked as well. Default false. */
  continue: z.boolean().default(false),
  /** Labels: alerts in which they are the same are told together. Default `["rule"]`. */
  groupBy: z.array(z.string().min(1)).max(10).default(['rule']),
  /** How long the first message of a group waits for others. Default 1 s. */
  groupWaitMs: z
    .int()
    .min(0)
    .max(1 * HOUR)
    .default(1 * SECOND),
  /** The least time between two messages of a group. Default 30 s. */
  groupIntervalMs: z
    .int()
    .min(0)
    .max(1 * DAY)
    .default(30 * SECOND),
  /** An alert that still fires is told again after so long. Default 24 h. */
  repeatMs: z
    .int()
    .min(1 * MINUTE)
    .max(30 * DAY)
    .default(1 * DAY),
});

/** What somebody is told of, and who it is. One document for a namespace. */
export const alertingSpec = z
  .strictObject({
    rules: z.array(alertRule).max(500),
    receivers: z.record(receiverName, receiverSpec).default({}),
    /** Asked in this order. An alert that none matches goes to the fleet's own: ESCAPEMENT_NOTIFY_EMAIL and ESCAPEMENT_NOTIFY_WEBHOOK. */
    routes: z.array(route).max(200).default([]),
  })
  .superRefine(({ rules, receivers, routes }, { addIssue }) => {
    const names = rules.map(({ name }) => name);
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        addIssue({ code: 'custom', path: ['rules', index, 'name'], message: `another rule is called ${name}` });
    for (const [index, { when, forMs }] of rules.entries())
      if (forMs > 0 && KINDS_OF_EVENTS.has(when.kind))
        addIssue({
          code: 'custom',
          path: ['rules', index, 'forMs'],
          message: `leave it out: ${when.kind} does not last`,
        });
    for (const [index, { when, on }] of rules.entries()) {
      const isOfMonitors = KINDS_OF_MONITORS.has(when.kind);
      const strange = isOfMonitors ? (['task', 'pool'] as const) : (['monitor'] as const);
      for (const part of strange)
        if (on[part] !== undefined)
          addIssue({
            code: 'custom',
            path: ['rules', index, 'on', part],
            message: `${when.kind} is about ${isOfMonitors ? 'monitors: give monitor or labels' : 'no monitor'}`,
          });
    }
    for (const [index, { receivers: named }] of routes.entries())
      for (const name of named)
        if (!Object.hasOwn(receivers, name))
          addIssue({ code: 'custom', path: ['routes', index, 'receivers'], message: `there is no receiver ${name}` });
  });

export type AlertingInput = z.input<typeof alertingSpec>;
export type Alerting = z.output<typeof alertingSpec>;
export type AlertRule = Alerting['rules'][number];
export type AlertRoute = Alerting['routes'][number];

/** What is in force where nobody has saved anything. */
export const DEFAULT_ALERTING: Alerting = alertingSpec.parse({
  rules: [
    { name: 'failed', when: { kind: 'failed' }, severity: 'critical' },
    { name: 'unknown', when: { kind: 'unknown' }, severity: 'critical' },
    { name: 'held', when: { kind: 'held' } },
    { name: 'unplannable', when: { kind: 'unplannable' }, severity: 'critical' },
    { name: 'monitor-missed', when: { kind: 'monitor-missed' }, severity: 'critical' },
    { name: 'monitor-failed', when: { kind: 'monitor-failed' }, severity: 'critical' },
    { name: 'monitor-slow', when: { kind: 'monitor-slow' } },
    { name: 'planner-silent', when: { kind: 'planner-silent', overMs: 30 * SECOND }, severity: 'critical' },
    { name: 'no-worker', when: { kind: 'no-worker' }, severity: 'critical', forMs: 1 * MINUTE },
    { name: 'redis-away', when: { kind: 'redis-away' }, severity: 'critical', forMs: 15 * SECOND },
    { name: 'api-away', when: { kind: 'api-away', overMs: 1 * MINUTE }, severity: 'critical' },
    { name: 'not-watched', when: { kind: 'not-watched', overMs: 2 * MINUTE } },
    { name: 'queue-blocked', when: { kind: 'queue-blocked' }, severity: 'critical' },
    { name: 'clock-off', when: { kind: 'clock-off', overMs: 1 * SECOND }, forMs: 1 * MINUTE },
    { name: 'partition-missing', when: { kind: 'partition-missing' }, severity: 'critical', forMs: 5 * MINUTE },
    { name: 'token-expires', when: { kind: 'token-expires', withinMs: 7 * DAY }, severity: 'info' },
    { name: 'ledger-gap', when: { kind: 'ledger-gap' }, severity: 'critical' },
  ],
});
