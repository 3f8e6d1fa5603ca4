import fc from 'fast-check';
import ICAL from 'ical.js';
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

test('one without an event has the component that RFC 5545 asks for', () => {
  const calendar = new ICAL.Component(ICAL.parse(toICalendar([], { name: 'x', now: NOW })));
  expect(calendar.getAllSubcomponents().map(({ name }) => name)).toEqual(['vtimezone']);
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

test('a strict parser that others wrote reads each event as it was written', () => {
  ICAL.design.strict = true;
  const texts = fc.string({ unit: 'grapheme', maxLength: 100 }).map((text) => text.replace(/[\p{Cc}]/gu, ''));
  const events = fc.array(
    fc.record({
      summary: texts,
      description: texts,
      category: fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
      at: fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      lengthMs: fc.integer({ min: 0, max: 100_000_000 }),
    }),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(events, texts, (given, name) => {
      const wanted = given.map((each, index) => event({ ...each, uid: `${index}@default` }));
      const read = new ICAL.Component(ICAL.parse(toICalendar(wanted, { name, now: NOW })));
      expect([read.name, read.getFirstPropertyValue('version')]).toEqual(['vcalendar', '2.0']);
      const found = read.getAllSubcomponents('vevent').map((each) => new ICAL.Event(each));
      const seconds = (ms: number) => Math.floor(ms / 1000);
      expect(found.map(({ uid, summary, description }) => ({ uid, summary, description }))).toEqual(
        wanted.map(({ uid, summary, description }) => ({ uid, summary, description })),
      );
      expect(found.map(({ startDate }) => startDate.toUnixTime())).toEqual(
        wanted.map(({ at }) => seconds(at.getTime())),
      );
      expect(found.map(({ duration }) => duration.toSeconds())).toEqual(
        wanted.map(({ lengthMs }) => Math.max(1, Math.ceil(lengthMs / 1000))),
      );
      expect(found.map(({ startDate }) => startDate.zone?.tzid)).toEqual(wanted.map(() => 'UTC'));
    }),
  );
});
