import { nearest } from '@escapement/core';
import { type Alerting, alertLabels, parseMatch } from '@escapement/core/alerts';
import { type LabelSelector, matchesSelector } from '@escapement/core/rights';
import type { KnownToAlerts } from './known-to-alerts.ts';

/** Of one route among all: what keeps anybody from being told by it. */
export function warningsOfRoute(document: Alerting, index: number, known: KnownToAlerts): string[] {
  const { routes } = document;
  const route = routes[index];
  const first = routes.findIndex(({ match, hours, continue: goesOn }) => match === undefined && !hours && !goesOn);
  const place = `routes.${index}`;
  if (!route) return [];
  if (first !== -1 && index > first) return [`${place}: routes.${first} takes all alerts, so that none comes here`];
  return [
    ...(route.receivers.length === 0 ? [`${place}: nobody is behind it: what takes it is told to nobody`] : []),
    ...(route.match === undefined ? [] : whyNone(parseMatch(route.match), document, known)).map(
      ({ text, near }) => `${place}.match: ${text}${near === undefined ? '' : `; did you mean ${near}?`}`,
    ),
  ];
}

/** What keeps alerts from matching. */
interface Impossible {
  text: string;
  /** The nearest name that there is; undefined: none is near. */
  near?: string | undefined;
}

/** Why no alert can match as things are; none: some can. */
export function whyNone(match: LabelSelector, document: Alerting, known: KnownToAlerts): Impossible[] {
  const impossible = impossibleTerms(match, valuesOf(document, known));
  return impossible.length > 0 ? impossible : noRule(match, document);
}

/** Labels that an alert has from its rule. */
const OF_RULES = ['rule', 'kind', 'severity'];

function noRule({ terms }: LabelSelector, { rules }: Alerting): Impossible[] {
  const ofRules = terms.filter(({ key }) => OF_RULES.includes(key));
  const text = ofRules.map(({ key, values }) => `${key}=${values.join('|')}`).join(' and ');
  const isThere = rules.some(
    (rule) => rule.enabled && matchesSelector({ text, terms: ofRules }, alertLabels(rule, {})),
  );
  return isThere || ofRules.length === 0 ? [] : [{ text: `no rule has ${text} at once` }];
}

/** Terms that no alert can meet as things are. */
function impossibleTerms({ terms }: LabelSelector, values: ReadonlyMap<string, ReadonlySet<string>>): Impossible[] {
  return terms.flatMap(({ key, values: wanted }) => {
    const known = values.get(key);
    if (!known) return [{ text: `no alert has the label ${key}`, near: nearest(key, [...values.keys()]) }];
    if (wanted.some((value) => known.has(value))) return [];
    return [{ text: `no alert has ${key}=${wanted.join('|')}`, near: nearest(wanted[0] ?? '', [...known]) }];
  });
}

/** What labels of alerts may say, by their names. */
function valuesOf({ rules }: Alerting, { tasks, monitors, pools }: KnownToAlerts): Map<string, Set<string>> {
  const values = new Map(
    ['rule', 'kind', 'severity', 'task', 'pool', 'monitor'].map((key) => [key, new Set<string>()]),
  );
  const add = (key: string, value: string) => void values.set(key, (values.get(key) ?? new Set()).add(value));
  for (const { name, on, when, severity } of rules.filter(({ enabled }) => enabled)) {
    add('rule', name);
    add('kind', when.kind);
    add('severity', severity);
    // Of one that is not there an alert may tell just that.
    if (on.task !== undefined) add('task', on.task);
  }
  for (const pool of pools) add('pool', pool);
  for (const { name } of tasks) add('task', name);
  for (const { name } of monitors) add('monitor', name);
  for (const { labels } of [...tasks, ...monitors]) for (const [key, value] of Object.entries(labels)) add(key, value);
  return values;
}
