import { ScheduleError } from './error.ts';

/**
 * What is made of a schedule that was saved, here or by another machine; undefined: this one cannot read it, as of a time zone that its data has
 * not. So one task keeps nobody from what is done to others, and from mending it.
 */
export function ifReadable<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}
