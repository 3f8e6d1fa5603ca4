import { weekdayOf } from '../time/dates.ts';

export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** `Friday 25 December` */
export function dayWords(date: string): string {
  const [, month = 1, day] = date.split('-').map(Number);
  return `${WEEKDAYS[weekdayOf(date)]} ${day} ${MONTHS[month - 1]}`;
}

/** `Fri 25 Dec` */
export function shortDay(date: string): string {
  const [weekday = '', day = '', month = ''] = dayWords(date).split(' ');
  return `${weekday.slice(0, 3)} ${day} ${month.slice(0, 3)}`;
}
