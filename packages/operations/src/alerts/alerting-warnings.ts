import { nearest } from '@escapement/core';
import { type Alerting, TEMPLATE_VALUES } from '@escapement/core/alerts';
import type { LabelSelector } from '@escapement/core/rights';
import type { Database } from '@escapement/store';
import { type KnownToAlerts, knownToAlerts } from './known-to-alerts.ts';
import { warningsOfRoute, whyNone } from './warnings-of-route.ts';
import { warningsOfRule } from './warnings-of-rule.ts';

/** What is allowed, and likely a mistake: each with its place in the document. */
export function alertingWarnings(document: Alerting, known: KnownToAlerts): string[] {
  const { rules, receivers, routes } = document;
  const used = new Set(routes.flatMap((route) => route.receivers));
  return [
    ...rules.flatMap((rule, index) =>
      warningsOfRule(rule, rules, known).map((text) => `rules.${index} (${rule.name}): ${text}`),
    ),
    ...Object.entries(receivers).flatMap(([name, receiver]) => [
      ...(used.has(name) ? [] : [`receivers.${name}: no route leads to it`]),
      ...(receiver.type === 'task' && !known.tasks.some((task) => task.name === receiver.task)
        ? [`receivers.${name}: there is no task ${receiver.task}`]
        : []),
      ...(receiver.type === 'webhook' ? unknownValues(receiver.template) : []).map(
        (text) => `receivers.${name}.template: ${text}`,
      ),
    ]),
    ...routes.flatMap((_, index) => warningsOfRoute(document, index, known)),
  ];
}

/** Why a silence keeps nothing quiet as things are. Names that are like those given are left out: not everybody may see them. */
export async function silenceWarnings(db: Database, match: LabelSelector, document: Alerting): Promise<string[]> {
  return whyNone(match, document, await knownToAlerts(db)).map(({ text }) => text);
}

/** What a template names, and nothing stands for. */
function unknownValues(template: unknown): string[] {
  const names = [...(JSON.stringify(template) ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  const unknown = [...new Set(names)].filter((name) => !TEMPLATE_VALUES.some((each) => each === name));
  return unknown.map((name) => {
    const near = nearest(name, TEMPLATE_VALUES);
    return `{{${name}}} stands for nothing${near ? `; did you mean {{${near}}}?` : ''}`;
  });
}
