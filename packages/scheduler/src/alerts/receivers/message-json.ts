import type { Json } from '@escapement/core';
import { type AlertMessage, type AlertNote, TEMPLATE_VALUES, type TemplateValue } from '@escapement/core/alerts';
import { countsOf, headline, messageText, tailOf } from './text.ts';

/** The body of a webhook's POST, and the payload of a task that is told. Fields are only ever added. */
export function messageJson(message: AlertMessage) {
  const { id, namespace, receiver, group, notes, more, repeated } = message;
  return {
    version: 1,
    id,
    namespace,
    receiver,
    group,
    /** `firing` as long as one of its alerts does. */
    state: stateOf(message),
    repeated,
    /** One line, for chat: the key that Mattermost and others show. */
    text: headline(message),
    alerts: notes.map(noteJson),
    /** Others, of which there are too many for one message. */
    more: { firing: more?.firing ?? 0, resolved: more?.resolved ?? 0 },
  };
}

export function stateOf(message: AlertMessage): 'firing' | 'resolved' {
  return countsOf(message).firing > 0 ? 'firing' : 'resolved';
}

function noteJson({ since, resolvedAt, runs, logTail, why, next, ...note }: AlertNote) {
  return {
    ...note,
    since: since.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    why: [...why],
    runs: runs.map(({ id, state, scheduledFor, reason }) => ({
      id,
      state,
      scheduledFor: scheduledFor.toISOString(),
      reason: reason ?? null,
    })),
    logTail: logTail === undefined ? null : tailOf(logTail),
    next: [...next],
  };
}

/** Of the message, or of its first alert. */
const VALUES: Record<TemplateValue, (message: AlertMessage) => string> = {
  id: ({ id }) => id,
  namespace: ({ namespace }) => namespace,
  state: stateOf,
  summary: headline,
  text: messageText,
  severity: ({ notes }) => notes[0]?.severity ?? '',
  rule: ({ notes }) => notes[0]?.rule ?? '',
  task: ({ notes }) => notes[0]?.labels.task ?? '',
  pool: ({ notes }) => notes[0]?.labels.pool ?? '',
  monitor: ({ notes }) => notes[0]?.labels.monitor ?? '',
  since: ({ notes }) => notes[0]?.since.toISOString() ?? '',
};

/** A template with its values in place: in strings only, so that no value can become anything else. */
export function filled(template: Json, message: AlertMessage): Json {
  if (typeof template === 'string')
    return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
      const known = TEMPLATE_VALUES.find((each) => each === name);
      return known ? VALUES[known](message) : whole;
    });
  if (Array.isArray(template)) return template.map((each) => filled(each, message));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value, message)]));
}
