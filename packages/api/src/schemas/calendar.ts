import { calendarSpec } from '@escapement/core';

export const calendarIn = calendarSpec.meta({ id: 'CalendarDefinition' });
