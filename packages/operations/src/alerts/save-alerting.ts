import { isDeepStrictEqual } from 'node:util';
import { type By, EscapementError, nearest, refusals } from '@escapement/core';
import { type Alerting, type AlertingInput, type AlertRule, alertingSpec } from '@escapement/core/alerts';
import { type NeededRight, namespaceObject } from '@escapement/core/rights';
import { type Database, expressionError, listCalendars, readAlerting, saveAlertingVersion } from '@escapement/store';
import { permit, taskObjectOf } from '../rights/permit.ts';
import { alertingWarnings } from './alerting-warnings.ts';
import { failingReceivers } from './alerts.ts';
import { knownToAlerts } from './known-to-alerts.ts';

export interface AlertingSaved {
  kind: 'created' | 'updated' | 'unchanged';
  version: number;
  /** What is likely a mistake, though it is allowed: with its place. */
  warnings: string[];
}

/**
 * Checks and saves the document of alerts: rules, receivers, routes. It takes the place of the one in force, and counts a few seconds later.
 * `guard` is asked with the version in force, 0 where there are the defaults; what it throws keeps the document from being saved. Default: any.
 * Throws `bad_alerting` with what is wrong and where, `not_allowed`, `save_races`.
 */
export async function saveAlerting(
  db: Database,
  input: AlertingInput,
  by: By,
  guard: (version: number) => void = () => undefined,
): Promise<AlertingSaved> {
  const definition = checkAlerting(input);
  const entry = { action: 'save', subject: { alerting: db.namespace } };
  await permit(db, by, entry, () => needsOf(db, definition));
  const problems = [...(await wrongExpressions(db, definition)), ...(await unknownCalendars(db, definition))];
  if (problems.length > 0) throw badAlerting(problems);
  const stored = await readAlerting(db);
  const warnings = [
    ...alertingWarnings(definition, await knownToAlerts(db)),
    ...(await notReached(db, definition, stored?.definition)),
  ];
  guard(stored?.version ?? 0);
  if (stored && isDeepStrictEqual(stored.definition, JSON.parse(JSON.stringify(definition))))
    return { kind: 'unchanged', version: stored.version, warnings };
  const version = await saveAlertingVersion(db, { definition, expectedVersion: stored?.version ?? null, by });
  if (version === null)
    throw new EscapementError('save_races', 'somebody else has saved the alerts of this namespace at the same moment', {
      fix: 'look at `escapement alerts get`, and save again',
    });
  return { kind: stored ? 'updated' : 'created', version, warnings };
}

/** Receivers that stay as they are, though the last message, as that of a test, has not reached them. */
async function notReached(db: Database, { receivers }: Alerting, before: Alerting | undefined): Promise<string[]> {
  const same = Object.entries(receivers).filter(([name, receiver]) =>
    isDeepStrictEqual(before?.receivers[name], JSON.parse(JSON.stringify(receiver))),
  );
  const failing = await failingReceivers(db, { receivers: Object.fromEntries(same) });
  return failing.map(
    ({ receiver, error }) =>
      `receivers.${receiver}: the last message to it has not arrived: ${error}; correct it, and try it: \`escapement alerts test ${receiver}\``,
  );
}

/** Throws `bad_alerting`. */
function checkAlerting(input: unknown): Alerting {
  const read = alertingSpec.safeParse(input);
  if (read.success) return read.data;
  throw badAlerting(refusals(read.error.issues, input, { root: 'the document' }));
}

function badAlerting(problems: readonly string[]): EscapementError {
  return new EscapementError('bad_alerting', problems.join('\n'), { fix: 'see docs/reference/alerts.md' });
}

/** To tell somebody outside is what a task needs the right for as well. */
async function needsOf(db: Database, { receivers }: Alerting): Promise<NeededRight[]> {
  const object = namespaceObject(db.namespace, `the alerts of the namespace ${db.namespace}`);
  const all = Object.values(receivers);
  const tasks = all.flatMap((receiver) => (receiver.type === 'task' ? [receiver.task] : []));
  const goesOut = all.some(({ type }) => !['email', 'task', 'inbox'].includes(type));
  const named = JSON.stringify(all).includes('"secret"');
  return [
    { right: 'edit', object },
    ...(goesOut ? [{ right: 'webhooks' as const, object }] : []),
    ...(named ? [{ right: 'secrets' as const, object }] : []),
    ...(await Promise.all(
      tasks.map(async (task) => ({ right: 'trigger' as const, object: await taskObjectOf(db, task) })),
    )),
  ];
}

/** Postgres reads them, so Postgres says whether it can. */
async function wrongExpressions(db: Database, { rules }: Alerting): Promise<string[]> {
  const problems: string[] = [];
  for (const [index, rule] of rules.entries())
    for (const [field, kind, text] of expressionsOf(rule)) {
      const wrong = await expressionError(db, kind, text);
      if (wrong !== null)
        problems.push(`rules.${index}.when.${field}: ${JSON.stringify(text)} cannot be read: ${wrong}`);
    }
  return problems;
}

async function unknownCalendars(db: Database, { routes }: Alerting): Promise<string[]> {
  const stored = (await listCalendars(db)).map(({ name }) => name);
  return routes.flatMap(({ hours }, index) =>
    (hours?.exclude ?? []).flatMap((name, place) => {
      if (stored.includes(name)) return [];
      const near = nearest(name, stored);
      const hint = near ? `did you mean ${near}?` : 'see `escapement calendars list`';
      return [`routes.${index}.hours.exclude.${place}: there is no calendar ${name}; ${hint}`];
    }),
  );
}

function expressionsOf({ when }: AlertRule): [field: string, kind: 'jsonpath' | 'regex', text: string][] {
  if (when.kind !== 'suspicious') return [];
  const { output, logHas, logLacks } = when;
  return [
    ...(output === undefined ? [] : [['output', 'jsonpath', output] as [string, 'jsonpath', string]]),
    ...(logHas === undefined ? [] : [['logHas', 'regex', logHas] as [string, 'regex', string]]),
    ...(logLacks === undefined ? [] : [['logLacks', 'regex', logLacks] as [string, 'regex', string]]),
  ];
}
