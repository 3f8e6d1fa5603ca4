import type { AlertCounts, AlertMessage, AlertNote, AlertRun } from '@escapement/core/alerts';

const MAX_SUBJECT = 200;
/** Alerts of a message that are told in full; of the others a line each, and then their number. */
const IN_FULL = 20;
const NAMED = 200;
const MAX_TAIL_LINES = 50;
const MAX_TAIL_CHARACTERS = 8 * 1024;

/** One line: what is wrong, or over. */
export function messageSubject(message: AlertMessage): string {
  const namespace = message.namespace === 'default' ? '' : ` (${message.namespace})`;
  return `[Escapement] ${headline(message)}${namespace}`.slice(0, MAX_SUBJECT);
}

/** What a message says, without the name of the product. */
export function headline(message: AlertMessage): string {
  const { notes, repeated } = message;
  const [first] = notes;
  if (!first) return 'nothing';
  const still = repeated ? 'still: ' : '';
  const { firing, resolved } = countsOf(message);
  const all = firing + resolved;
  if (all === 1) return `${first.state === 'resolved' ? 'resolved: ' : still}${line(first.summary)}`;
  const rules = [...new Set(notes.map(({ rule }) => rule))];
  const what = rules.length === 1 ? `${rules[0]}: ` : '';
  if (firing === 0) return `resolved: ${what}${all} alerts`;
  return `${still}${what}${firing} ${firing === 1 ? 'alert' : 'alerts'}${resolved > 0 ? `, ${resolved} resolved` : ''}`;
}

/** What a message is about, in all. */
export function countsOf({ notes, more = { firing: 0, resolved: 0 } }: AlertMessage): AlertCounts {
  const firing = notes.filter(({ state }) => state === 'firing').length;
  return { firing: firing + more.firing, resolved: notes.length - firing + more.resolved };
}

/** How many alerts a message is about beside so many of its notes. */
export function notShown(message: AlertMessage, shown: number): number {
  const { firing, resolved } = countsOf(message);
  return firing + resolved - shown;
}

/** All that a message has to say, as plain text: the body of a mail. */
export function messageText(message: AlertMessage): string {
  const { notes } = message;
  const rest = notes.slice(IN_FULL);
  const others = notShown(message, notes.length);
  const parts = [
    ...(notes.length > 1 ? [`${headline(message)}.`] : []),
    ...notes.slice(0, IN_FULL).map(noteText),
    ...(rest.length + others > 0 ? [restText(rest, others)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function restText(rest: readonly AlertNote[], others: number): string {
  const named = rest.slice(0, NAMED).map(({ state, summary }) => `- ${state}: ${line(summary)}`);
  const more = rest.length - named.length + others;
  return ['And:', ...named, ...(more > 0 ? [`- and ${more} more: escapement alerts list`] : [])].join('\n');
}

/** What one alert says: what, since when, how bad, why, the end of the log, what next, how to silence it. */
export function noteText(note: AlertNote): string {
  const { state, summary, severity, rule, since, resolvedAt, why, runs, logTail, next, silence } = note;
  const facts: [string, string | undefined][] = [
    ['Since', instant(since)],
    ['Over', resolvedAt && instant(resolvedAt)],
    ['Severity', `${severity} (rule ${rule})`],
    ['Run', runs[0] && runText(runs[0])],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(10)}${oneLine(value)}`] : []));
  const parts = [
    `${state === 'resolved' ? 'Resolved: ' : ''}${line(summary)}.`,
    lines.join('\n'),
    why.length > 0 && `Why:\n${listed(why)}`,
    logTail?.trim() && `The end of its log:\n${tailOf(logTail).replace(/^/gm, '    ')}`,
    next.length > 0 && `What next:\n${listed(next)}`,
    state === 'firing' && silence !== '' && `Silence it: ${line(silence)}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** So much of a text that nobody has bounded. */
function line(text: string): string {
  return cut(oneLine(text), 1000);
}

function listed(lines: readonly string[]): string {
  return lines
    .slice(0, 10)
    .map((each) => `    ${line(each)}`)
    .join('\n');
}

function runText({ id, state, scheduledFor }: AlertRun): string {
  return `${id}, ${state}, due ${instant(scheduledFor)}`;
}

export function tailOf(log: string): string {
  return log.slice(-MAX_TAIL_CHARACTERS).trimEnd().split('\n').slice(-MAX_TAIL_LINES).join('\n');
}

export function instant(at: Date): string {
  return `${at
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, '')} UTC`;
}

/** A line break in a subject would begin a header of its own. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

/** At most so many UTF-16 units, cut between two characters, with the cut shown. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = length - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end)}…`;
}

/** At most so many bytes of UTF-8. */
export function cutBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let kept = Math.min(text.length, bytes);
  while (Buffer.byteLength(cut(text, kept)) > bytes) kept = Math.floor(kept * 0.9);
  return cut(text, kept);
}
