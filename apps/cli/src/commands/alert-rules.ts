import type { AnswerOf } from '@escapement/api/calls';
import { explainTaskAlerts, getAlerting, getAlertRules, saveAlerting } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { Alerting, AlertingInput, AlertRule, ReceiverSpec } from '@escapement/core/alerts';
import { maskUrlPath } from '@escapement/core/mask';
import type { Command } from 'commander';
import { parse, stringify } from 'yaml';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readUtf8 } from '../options.ts';
import { tableLines } from '../output/table.ts';
import { span } from '../output/wording.ts';
import { testOf } from './alert-deliveries.ts';
import { taskNamed } from './one-task.ts';

/** `alerts rules`, `get`, `set` and `explain`. */
export function addAlertRules(alerts: Command, context: Context): void {
  alerts
    .command('rules')
    .description('the rules, routes and receivers in force')
    .action(() => rules(context));
  alerts
    .command('get')
    .description('the document in force, as `set` takes it: YAML, or JSON with -o json')
    .action(() => get(context));
  alerts
    .command('set')
    .description('save rules, routes and receivers in the place of those in force')
    .argument('<file>', 'YAML or JSON as in docs/reference/alerts.md; - for standard input')
    .option('--test', 'then have a scheduler send a test to each of its receivers; fails where one does not take it')
    .action((file: string, options: { test?: boolean }) => set(file, options, context));
  alerts
    .command('explain')
    .description('which rules count for a task, and who would be told now')
    .argument('<task>', 'name of the task')
    .action((task: string) => explain(task, context));
}

async function rules(context: Context): Promise<void> {
  const { output } = context;
  const { version, definition } = await withFleet(context, (fleet) => fleet.call(getAlertRules, {}));
  output.result({ version, ...definition }, () => [
    version === 0 ? 'These are the defaults; `escapement alerts set` saves others.' : `Version ${version}.`,
    '',
    ...ruleLines(definition, output.width),
    ...receiverLines(definition, output.width),
    ...routeLines(definition, output.width),
  ]);
}

function ruleLines({ rules }: Alerting, width: number | undefined): string[] {
  return tableLines(
    rules,
    [
      { title: 'RULE', value: ({ name, enabled }) => (enabled ? name : `${name} (off)`) },
      { title: 'SEVERITY', value: ({ severity }) => severity },
      { title: 'FOR', value: ({ on }) => scopeWords(on) },
      { title: 'WHEN', value: whenWords, wraps: true },
    ],
    width,
  );
}

function scopeWords({ task, labels, pool, monitor }: AlertRule['on']): string {
  if (task !== undefined) return `task ${task}`;
  if (monitor !== undefined) return `monitor ${monitor}`;
  if (pool !== undefined) return `pool ${pool}`;
  return labels
    ? Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(',')
    : 'all';
}

/** The kind, with its bounds as they stand in the document; spans as people read them. */
function whenWords({ when, forMs }: AlertRule): string {
  const { kind, ...bounds } = when;
  const words = Object.entries(bounds).map(([name, value]) =>
    name.endsWith('Ms') && typeof value === 'number'
      ? `${name.slice(0, -2)} ${span(value)}`
      : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [kind, ...words, ...(forMs > 0 ? [`for ${span(forMs)}`] : [])].join(', ');
}

function receiverLines({ receivers }: Alerting, width: number | undefined): string[] {
  const named = Object.entries(receivers);
  if (named.length === 0) return [];
  const lines = tableLines(
    named,
    [
      { title: 'RECEIVER', value: ([name]) => name },
      { title: 'TYPE', value: ([, { type }]) => type },
      { title: 'WHERE', value: ([, receiver]) => whereTo(receiver), wraps: true },
    ],
    width,
  );
  return ['', ...lines];
}

/** The path of a URL is often its secret. */
function whereTo(receiver: ReceiverSpec): string {
  switch (receiver.type) {
    case 'email':
      return receiver.to.join(', ');
    case 'task':
      return receiver.task;
    case 'inbox':
      return 'escapement alerts inbox';
    case 'pagerduty':
      return receiver.url === undefined ? 'events.pagerduty.com' : urlWords(receiver.url);
    default:
      return urlWords(receiver.url);
  }
}

function urlWords(url: string | { secret: string }): string {
  return typeof url === 'string' ? maskUrlPath(url) : `ESCAPEMENT_RECEIVER_${url.secret} of the schedulers`;
}

function routeLines({ routes }: Alerting, width: number | undefined): string[] {
  if (routes.length === 0) return [];
  const lines = tableLines(
    routes,
    [
      { title: 'ROUTE', value: ({ match }) => match ?? 'all' },
      { title: 'RECEIVERS', value: ({ receivers }) => receivers.join(', ') || 'nobody' },
      {
        title: 'HOURS',
        value: ({ hours }) => (hours ? hoursWords(hours) : 'always'),
        wraps: true,
      },
      { title: 'THEN', value: ({ continue: goesOn }) => (goesOn ? 'the next as well' : 'done') },
    ],
    width,
  );
  return ['', ...lines];
}

type Hours = NonNullable<Alerting['routes'][number]['hours']>;

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function hoursWords({ timeZone, days, from = '00:00', to = '24:00', exclude }: Hours): string {
  const on = days ? `${days.map((day) => DAYS[day - 1]).join(',')} ` : '';
  return `${on}${from}-${to} ${timeZone}${exclude ? `, not in ${exclude.join(', ')}` : ''}`;
}

async function get(context: Context): Promise<void> {
  const { definition } = await withFleet(context, (fleet) => fleet.call(getAlerting, {}));
  context.output.result(definition, () => stringify(definition).trimEnd().split('\n'));
}

async function set(file: string, options: { test?: boolean }, context: Context): Promise<void> {
  const { output } = context;
  const document = readDocument(await readUtf8(file, context.stdin), file);
  const saved = await withFleet(context, (fleet) => fleet.call(saveAlerting, { body: document }));
  for (const warning of saved.warnings) output.note(`warning: ${warning}`);
  output.result(saved, () => [
    saved.kind === 'unchanged'
      ? `the alerts are so already (version ${saved.version})`
      : `the alerts are ${saved.kind} (version ${saved.version}); they count in a few seconds`,
  ]);
  const receivers = Object.entries(document.receivers ?? {}).flatMap(([name, { type }]) =>
    type === 'inbox' ? [] : [name],
  );
  if (options.test) await testAll(receivers, context);
  else if (receivers.length > 0 && saved.kind !== 'unchanged')
    output.note(
      `no test was sent to ${receivers.join(', ')}: \`escapement alerts test NAME\` sends one, and so does --test`,
    );
}

/** Each is tried, so that all that is wrong is said at once. */
async function testAll(receivers: readonly string[], context: Context): Promise<void> {
  const failed: string[] = [];
  for (const name of receivers) {
    const { error } = await testOf(name, context);
    context.output.note(error === null ? `${name} has taken the test` : `the test did not reach ${name}: ${error}`);
    if (error !== null) failed.push(name);
  }
  if (failed.length > 0)
    throw new EscapementError('test_failed', `saved, and the test did not reach ${failed.join(', ')}`, {
      fix: 'mend the receivers, or what stands before them, and test them again: `escapement alerts test NAME`',
    });
}

/** JSON is YAML; what is in it is judged where it is saved. Throws `bad_yaml`. */
function readDocument(text: string, file: string): AlertingInput {
  try {
    return parse(text, { maxAliasCount: 100, uniqueKeys: true }) as AlertingInput;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new EscapementError('bad_yaml', `${file} is neither YAML nor JSON: ${why}`, {
      fix: 'see docs/reference/alerts.md',
    });
  }
}

async function explain(task: string, context: Context): Promise<void> {
  const explained = await withFleet(context, async (fleet) =>
    fleet.call(explainTaskAlerts, { params: await taskNamed(fleet, task) }),
  );
  context.output.result(explained, () => explainLines(explained));
}

function explainLines({ rules, silences, destinations }: AnswerOf<typeof explainTaskAlerts>): string[] {
  if (rules.length === 0) return ['no rule is for this task: nobody hears of anything that goes wrong with it'];
  return [
    ...rules.flatMap(({ kind, level, rules: counting, overruled }) => [
      `${kind}: ${counting.length === 0 ? 'switched off' : counting.map(whenWords).join('; ')} (by the rule for ${LEVEL_WORDS[level]})`,
      ...counting.map(
        ({ name }) => `  ${name} -> ${toWords(destinations.find(({ rule }) => rule === name)?.to ?? [])}`,
      ),
      ...overruled.map(({ name }) => `  ${name} does not count: a narrower rule of this kind does`),
    ]),
    ...silences.map(
      ({ id, match, untilAt, note }) => `silence ${id} (${match}) is in force until ${untilAt.toISOString()}: ${note}`,
    ),
  ];
}

const LEVEL_WORDS = {
  task: 'the task',
  monitor: 'the monitor',
  labels: 'its labels',
  pool: 'its pool',
  all: 'all',
} as const;

function toWords(to: readonly { receiver: string }[]): string {
  return to.length === 0
    ? 'nobody: the task says so, or the route has no receiver'
    : to.map(({ receiver }) => receiver).join(', ');
}
