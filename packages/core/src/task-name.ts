/** What tasks, calendars and the like may be called. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/;
