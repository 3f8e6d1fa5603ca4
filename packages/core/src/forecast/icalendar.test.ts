import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CalendarEvent, toICalendar } from './icalendar.ts';

const NOW = new Date('2027-01-04T00:00:00Z');
const event = (given: Partial<CalendarEvent> = {}): CalendarEvent => ({
  ...{ uid: '1@default', at: new Date('2027-10-31T01:30:00Z'), lengthMs: 90_000, summary: 'nightly' },
  ...{ description: 'at 02:30 every day', category: 'default' },
  ...given,
});

test('an event has what RFC 5545 asks for, and times in UTC', () => {
  expect(toICalendar([event()], { name: 'Escapement', now: NOW }).split('\r\n')).toEqual([
    ...[
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Escapement//Forecast//EN',
      'CALSCALE:GREGORIAN',
      'X-WR-CALNAME:Escapement',
    ],
    ...['BEGIN:VEVENT', 'UID:1@default', 'DTSTAMP:20270104T000000Z', 'DTSTART:20271031T013000Z', 'DURATION:PT90S'],
    ...['SUMMARY:nightly', 'DESCRIPTION:at 02:30 every day', 'CATEGORIES:default', 'TRANSP:TRANSPARENT', 'END:VEVENT'],
    ...['END:VCALENDAR', ''],
  ]);
});

/** As a reader undoes it (RFC 5545, 3.1 and 3.3.11). */
const unfolded = (text: string) => text.replace(/\r\n[ \t]/g, '').split('\r\n');
const unescaped = (text: string) => text.replace(/\\([\\;,nN])/g, (_, sign) => (/n/i.test(sign) ? '\n' : sign));

test('whatever a text says it is read as it was, in lines of at most 75 octets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (summary) => {
      const text = toICalendar([event({ summary })], { name: 'x', now: NOW });
      for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      const [found] = unfolded(text).filter((line) => line.startsWith('SUMMARY:'));
      const wanted = summary.replace(/\r?\n/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
      expect(unescaped(found?.slice('SUMMARY:'.length) ?? '')).toBe(wanted);
      expect(unfolded(text)).toHaveLength(17);
    }),
  );
});

test('a text cannot begin a property of its own', () => {
  const text = toICalendar([event({ summary: 'x\r\nATTENDEE:mailto:ann@example.com' })], { name: 'x', now: NOW });
  expect(unfolded(text).some((line) => line.startsWith('ATTENDEE'))).toBe(false);
});
