import { calendarSpec } from '@escapement/core';

export const calendarIn = calendarSpec.meta({
  id: 'CalendarDefinition',
  example: { timeZone: 'Europe/Berlin', entries: [{ dates: ['2026-12-25'] }] },
});
