import { DAY, EscapementError, type Json } from '@escapement/core';
import type { AlertMessage, AlertNote, ReceiverSpec, Severity } from '@escapement/core/alerts';
import { filled, messageJson, stateOf } from './message-json.ts';
import { cut, cutBytes, headline, messageText, noteText, notShown, oneLine } from './text.ts';

/** A request that tells a receiver something. Sent again it changes nothing, where the provider knows repetitions. */
export interface ReceiverRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Json;
}

/** What is sent to a receiver over HTTP. */
export type HttpReceiver = Exclude<ReceiverSpec, { type: 'email' | 'task' | 'inbox' }>;

/** A value that is hidden in the document, or stands in it. */
export type Reveal = (value: string | { secret: string }) => string;

/** The requests of a message, as the provider documents them. */
export function requestsFor(
  message: AlertMessage,
  receiver: HttpReceiver,
  reveal: Reveal,
  now: Date,
): ReceiverRequest[] {
  switch (receiver.type) {
    case 'webhook': {
      const { url, template } = receiver;
      const body = template === undefined ? messageJson(message) : filled(template, message);
      return [{ url: reveal(url), headers: {}, body: body as Json }];
    }
    case 'slack':
      return [{ url: reveal(receiver.url), headers: {}, body: slackBody(message) }];
    case 'teams':
      return [{ url: reveal(receiver.url), headers: {}, body: teamsBody(message) }];
    case 'discord':
      return [{ url: reveal(receiver.url), headers: {}, body: discordBody(message) }];
    case 'pagerduty': {
      const url = receiver.url === undefined ? PAGERDUTY : reveal(receiver.url);
      const key = reveal(receiver.routingKey);
      return message.notes.map((note) => ({ url, headers: {}, body: pagerDutyEvent(note, key, message.namespace) }));
    }
    case 'ntfy': {
      const headers = receiver.token === undefined ? {} : { authorization: `Bearer ${reveal(receiver.token)}` };
      return [{ headers, ...ntfyPublish(message, reveal(receiver.url)) }];
    }
    case 'alertmanager': {
      const base = reveal(receiver.url).replace(/\/+$/, '');
      const url = base.endsWith(ALERTMANAGER) ? base : `${base}${ALERTMANAGER}`;
      return [{ url, headers: {}, body: message.notes.map((note) => alertmanagerAlert(note, message.namespace, now)) }];
    }
  }
}

// Slack, "Sending messages using incoming webhooks" and "Block Kit": 50 blocks, 3,000 characters of a section, 150 of a header; &, < and > are
// escaped, so that nothing in a text is a link or calls a channel. Longer messages than some 13,000 characters are refused
// (`msg_blocks_too_long`), which is written nowhere.
const SLACK_BLOCKS = 50;
const SLACK_SECTION = 3000;
const SLACK_ALL = 12_000;

function slackBody(message: AlertMessage): Json {
  const shown = message.notes.slice(0, SLACK_BLOCKS - 2);
  const rest = notShown(message, shown.length);
  const each = Math.min(SLACK_SECTION, Math.floor(SLACK_ALL / Math.max(1, shown.length)));
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  return {
    text: escaped(headline(message), SLACK_SECTION),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(headline(message), 150), emoji: false } },
      ...shown.map((note) => section(`\`\`\`${escaped(noteText(note).replaceAll('```', "'''"), each - 6)}\`\`\``)),
      ...(rest > 0 ? [section(`and ${rest} more: \`escapement alerts list\``)] : []),
    ],
  };
}

/** An escaped character counts as long as it is written. */
function escaped(text: string, length: number): string {
  // What speaks Slack's language may know `@channel` as well (Mattermost): a space of no width parts it.
  const safe = (part: string) =>
    part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b');
  let kept = length;
  while (safe(cut(text, kept)).length > length) kept = Math.floor(kept * 0.9);
  return safe(cut(text, kept));
}

// Microsoft, "Create incoming webhooks with Workflows": a message with an Adaptive Card; at most 28 KB.
const TEAMS_BYTES = 24 * 1024;
const TEAMS_COLORS: Record<Severity, string> = { critical: 'attention', warning: 'warning', info: 'accent' };

function teamsBody(message: AlertMessage): Json {
  const severity = message.notes[0]?.severity ?? 'info';
  const color = stateOf(message) === 'resolved' ? 'good' : TEAMS_COLORS[severity];
  // A text run is shown as it is; a text block would read it as Markdown.
  const block = (text: string, more: { [key: string]: Json }) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(cut(headline(message), 500), { size: 'Medium', weight: 'Bolder', color }),
            block(jsonCut(messageText(message), TEAMS_BYTES / 2), { fontType: 'Monospace', size: 'Small' }),
          ],
        },
      },
    ],
  };
}

/** As long as this in JSON, where some characters take several bytes. */
function jsonCut(text: string, bytes: number): string {
  let kept = Math.min(text.length, bytes);
  while (Buffer.byteLength(JSON.stringify(cut(text, kept))) > bytes) kept = Math.floor(kept * 0.9);
  return cut(text, kept);
}

// Discord, "Execute webhook" and "Embed limits": 2,000 characters of content, 10 embeds, 256 of a title, 4,096 of a description, 6,000 in all.
// Nothing in it calls anybody.
const DISCORD_EMBEDS = 10;
const DISCORD_ALL = 5500;
const DISCORD_COLORS: Record<Severity, number> = { critical: 0xd0_36_2d, warning: 0xd9_8e_04, info: 0x2f_6f_c1 };
const DISCORD_RESOLVED = 0x2e_8b_57;

function discordBody(message: AlertMessage): Json {
  const shown = message.notes.slice(0, DISCORD_EMBEDS);
  const rest = notShown(message, shown.length);
  const each = Math.floor(DISCORD_ALL / Math.max(1, shown.length)) - 256;
  return {
    content: cut(`${plain(headline(message))}${rest > 0 ? ` (${rest} of them not shown)` : ''}`, 2000),
    allowed_mentions: { parse: [] },
    embeds: shown.map((note) => ({
      title: cut(plain(oneLine(note.summary)), 250),
      description: `\`\`\`\n${cut(noteText(note).replaceAll('```', "'''"), Math.min(4000, Math.max(100, each - 10)))}\n\`\`\``,
      color: note.state === 'resolved' ? DISCORD_RESOLVED : DISCORD_COLORS[note.severity],
      timestamp: (note.resolvedAt ?? note.since).toISOString(),
    })),
  };
}

/** Without Markdown: each character that has a meaning there is escaped. */
function plain(text: string): string {
  return text.replace(/[\\*_~`|>[\]()#-]/g, '\\$&');
}

// PagerDuty, "Events API v2": one event for each alert, by a key of its own (at most 255 characters); a summary of at most 1,024.
const PAGERDUTY = 'https://events.pagerduty.com/v2/enqueue';

function pagerDutyEvent(note: AlertNote, routingKey: string, namespace: string): Json {
  const event = { routing_key: routingKey, dedup_key: cut(`escapement-${note.id}`, 255), client: 'Escapement' };
  if (note.state === 'resolved') return { ...event, event_action: 'resolve' };
  const { monitor, task, pool } = note.labels;
  return {
    ...event,
    event_action: 'trigger',
    payload: {
      summary: cut(oneLine(note.summary), 1024),
      source: cut(monitor ?? task ?? pool ?? namespace, 255),
      severity: note.severity,
      timestamp: note.since.toISOString(),
      component: cut(pool ?? namespace, 255),
      group: namespace,
      class: note.rule,
      custom_details: { text: cut(noteText(note), 20_000), labels: { ...note.labels } },
    },
  };
}

// ntfy, "Publish as JSON": to the server's root, with the topic in it; a message of at most 4,096 bytes, else it becomes an attachment.
const NTFY_BYTES = 4000;
const NTFY_PRIORITIES: Record<Severity, number> = { critical: 5, warning: 4, info: 3 };
const NTFY_TAGS: Record<Severity, string> = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'information_source',
};

function ntfyPublish(message: AlertMessage, url: string): Pick<ReceiverRequest, 'url' | 'body'> {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter(Boolean);
  const topic = decodeURIComponent(parts.pop() ?? '');
  if (topic === '')
    throw new EscapementError('no_topic', `the URL of a receiver of ntfy has no topic`, {
      fix: 'give it as https://ntfy.sh/our-alerts',
    });
  const over = stateOf(message) === 'resolved';
  const severity = message.notes[0]?.severity ?? 'info';
  return {
    url: [origin, ...parts, ''].join('/'),
    body: {
      topic,
      title: cutBytes(headline(message), 250),
      message: cutBytes(messageText(message), NTFY_BYTES),
      priority: over ? 3 : NTFY_PRIORITIES[severity],
      tags: [over ? 'white_check_mark' : NTFY_TAGS[severity]],
    },
  };
}

// Alertmanager, API v2 (`POST /api/v2/alerts`): labels by names of Prometheus; without an end it takes an alert for over after 5 minutes, so
// that one which fires has an end that is later than it is sent again (`repeatMs`). One that was acknowledged is not sent again.
const ALERTMANAGER = '/api/v2/alerts';
const ALERTMANAGER_ENDS_MS = 400 * DAY;

function alertmanagerAlert(note: AlertNote, namespace: string, now: Date): Json {
  const { labels, summary, rule, since, resolvedAt, id } = note;
  const named = Object.entries({ ...labels, namespace, alert_id: id })
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [key.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_'), value]);
  return {
    labels: { ...Object.fromEntries(named), alertname: rule },
    annotations: { summary: oneLine(summary), description: cut(noteText(note), 20_000) },
    startsAt: since.toISOString(),
    endsAt: (resolvedAt ?? new Date(now.getTime() + ALERTMANAGER_ENDS_MS)).toISOString(),
  };
}
