import { z } from 'zod';

/** What tasks, calendars and the like may be called. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/;

export const taskName = z.string().regex(NAME, '1 to 200 letters, digits and ._:@/- , starting with a letter or digit');
