import type { Calendar } from '../schedule/calendar/calendar.ts';
import { weekday } from '../schedule/civil.ts';
import { zoneOf } from '../schedule/zone.ts';
import type { AlertRoute, RouteHours } from './alerting.ts';

const DAY_MINUTES = 24 * 60;

/** Whether a route is open then, by the wall clock of its zone. Hours over midnight belong to the day on which they begin. */
export function isOpen({ timeZone, days, from = '00:00', to = '24:00' }: RouteHours, at: Date): boolean {
  const seconds = Math.floor(at.getTime() / 1000);
  const minutes = Math.floor((seconds + zoneOf(timeZone).segmentAt(seconds).offset) / 60);
  const day = Math.floor(minutes / DAY_MINUTES);
  const minute = minutes - day * DAY_MINUTES;
  const opens = minutesOf(from);
  const closes = minutesOf(to);
  const isDay = (number: number) => days === undefined || days.includes(isoWeekday(number));
  if (opens < closes) return isDay(day) && minute >= opens && minute < closes;
  return (isDay(day) && minute >= opens) || (isDay(day - 1) && minute < closes);
}

/** The names of the calendars by which routes are closed. */
export function calendarsOfRoutes(routes: readonly AlertRoute[]): string[] {
  return [...new Set(routes.flatMap(({ hours }) => hours?.exclude ?? []))];
}

/** The routes but those that a calendar closes at an instant. A calendar that is not there closes none. */
export function routesOutside(routes: readonly AlertRoute[], calendars: readonly Calendar[], at: Date): AlertRoute[] {
  const closing = new Set(calendars.flatMap((each) => (each.reasonAt(at) === null ? [] : [each.name])));
  return routes.filter(({ hours }) => !hours?.exclude?.some((name) => closing.has(name)));
}

/** 1 is Monday, 7 Sunday. */
function isoWeekday(day: number): number {
  return ((weekday(day) + 6) % 7) + 1;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
