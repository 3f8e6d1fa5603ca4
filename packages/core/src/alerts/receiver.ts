import { z } from 'zod';

/** A value that does not stand in the document: the scheduler's environment has it as `ESCAPEMENT_RECEIVER_NAME`. */
const hidden = z.strictObject({ secret: z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/) });
export type Hidden = z.output<typeof hidden>;

/** What may stand in a template of a webhook as `{{name}}`. */
export const TEMPLATE_VALUES = [
  ...(['id', 'namespace', 'state', 'summary', 'text', 'severity'] as const),
  ...(['rule', 'task', 'pool', 'monitor', 'since'] as const),
] as const;
export type TemplateValue = (typeof TEMPLATE_VALUES)[number];

const httpUrl = z.url({ protocol: /^https?$/ });
const url = z.union([httpUrl, hidden]);
const secretText = z.union([z.string().min(1).max(4096), hidden]);

/** Who is told, and how. */
export const receiverSpec = z.discriminatedUnion('type', [
  /** A mail to all of them at once, by the mail server of the schedulers. */
  z.strictObject({ type: z.literal('email'), to: z.array(z.email()).min(1).max(50) }),
  /** A signed POST (Standard Webhooks). `template` replaces the JSON of ours: `{{summary}}` and others stand for values. */
  z.strictObject({ type: z.literal('webhook'), url, template: z.json().optional() }),
  /** An incoming webhook of Slack, or of what speaks its language (Mattermost). */
  z.strictObject({ type: z.literal('slack'), url }),
  /** A workflow of Microsoft Teams that posts what it is sent ("when a Teams webhook request is received"). */
  z.strictObject({ type: z.literal('teams'), url }),
  z.strictObject({ type: z.literal('discord'), url }),
  /** Events API v2 of PagerDuty. `url`: another region, or a server that speaks it. */
  z.strictObject({ type: z.literal('pagerduty'), routingKey: secretText, url: url.optional() }),
  /** A topic of ntfy, as `https://ntfy.sh/our-alerts`. */
  z
    .strictObject({ type: z.literal('ntfy'), url, token: secretText.optional() })
    .refine(({ url }) => typeof url !== 'string' || new URL(url).pathname !== '/', {
      path: ['url'],
      message: 'it has no topic; give it as https://ntfy.sh/our-alerts',
    }),
  /** The API (v2) of an Alertmanager: it groups, routes and silences then. */
  z.strictObject({ type: z.literal('alertmanager'), url }),
  /** Triggers a task of the fleet with the message as its payload. */
  z.strictObject({ type: z.literal('task'), task: z.string().min(1).max(200) }),
  /** Keeps the message, for `escapement alerts inbox`, and sends nothing. */
  z.strictObject({ type: z.literal('inbox') }),
]);
export type ReceiverSpec = z.output<typeof receiverSpec>;
