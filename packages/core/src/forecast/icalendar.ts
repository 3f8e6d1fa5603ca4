/** An occurrence for a calendar of people. */
export interface CalendarEvent {
  /** The same for the same occurrence, whenever it is written. */
  uid: string;
  at: Date;
  /** Milliseconds. */
  lengthMs: number;
  summary: string;
  description: string;
  category: string;
}

/** What of iCalendar is used: https://www.rfc-editor.org/rfc/rfc5545 */
const HEAD = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Escapement//Forecast//EN', 'CALSCALE:GREGORIAN'];

/** 3.4: a calendar has a component. What has no event names the zone of its times, so that strict readers take it. */
const NO_EVENT = [
  ...['BEGIN:VTIMEZONE', 'TZID:UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
  ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000', 'END:STANDARD', 'END:VTIMEZONE'],
];

/** Events as an iCalendar (RFC 5545): instants in UTC, shown as free time. `now`: when it is written. */
export function toICalendar(events: Iterable<CalendarEvent>, { name, now }: { name: string; now: Date }): string {
  const head = [...HEAD, `X-WR-CALNAME:${escaped(name)}`];
  const lines: string[] = [];
  for (const { uid, at, lengthMs, summary, description, category } of events)
    lines.push(
      'BEGIN:VEVENT',
      `UID:${escaped(uid)}`,
      `DTSTAMP:${utc(now)}`,
      `DTSTART:${utc(at)}`,
      `DURATION:PT${Math.max(1, Math.ceil(lengthMs / 1000))}S`,
      `SUMMARY:${escaped(summary)}`,
      `DESCRIPTION:${escaped(description)}`,
      `CATEGORIES:${escaped(category)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    );
  return [...head, ...(lines.length === 0 ? NO_EVENT : lines), 'END:VCALENDAR', ''].map(folded).join('\r\n');
}

function utc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** 3.3.11, "Text": these have a meaning, and control characters are none of a text. */
function escaped(text: string): string {
  return text
    .replace(/\r?\n/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** 3.1, "Content Lines": at most 75 octets each, the following ones begin with a space. A character is not cut in two. */
function folded(line: string): string {
  const lines: string[] = [];
  let [piece, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MOST_OCTETS) {
      lines.push(piece);
      [piece, bytes] = [' ', 1];
    }
    piece += character;
    bytes += size;
  }
  return [...lines, piece].join('\r\n');
}

const MOST_OCTETS = 75;
