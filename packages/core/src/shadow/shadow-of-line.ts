import { z } from 'zod';

/** The id of a line of a crontab: what it says, and where; a number where a crontab has it several times. */
export const cronLineId = z.string().regex(/^[0-9a-f]{12}(?:-[1-9][0-9]{0,3})?$/, {
  message:
    'an id of a line, as `escapement import crontab --shadow` makes it: 12 hexadecimal digits, and -2 for a second line of its kind',
});

/** A line of a crontab that still runs what the task is to run. */
export const shadowOfLine = z.strictObject({ line: cronLineId });
