import type { By } from '@escapement/core';
import type { CalendarSpec } from '@escapement/core/schedule';
import { saveCalendar, saveTask } from '@escapement/operations';
import type { Database } from '@escapement/store';

const OFFICE: CalendarSpec = {
  timeZone: 'Europe/Berlin',
  description: 'When the office is closed',
  entries: [
    { name: 'weekend', weekdays: ['SAT', 'SUN'] },
    { name: 'Christmas', dates: ['12-25', '12-26'] },
    { name: 'works holiday', from: '2027-08-02', to: '2027-08-13' },
    { name: 'month-end freeze', dates: ['2027-03-31', '2027-06-30'], hours: ['18-24'] },
  ],
};

/** A calendar that a task uses. */
export async function addCalendars(db: Database, by: By): Promise<void> {
  await saveCalendar(db, 'office', OFFICE, by);
  await saveTask(
    db,
    {
      name: 'daily-digest',
      schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' },
      handler: { type: 'shell', command: 'send-digest' },
      calendars: { exclude: ['office'] },
    },
    { source: 'api', by },
  );
}
