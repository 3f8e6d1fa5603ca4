import { useSettings } from '../settings/settings.ts';
import { ownZone, zoneNameBeside } from './instants.ts';

/** The zone in which instants are shown: that of the schedule where it is wanted and there is one. */
export function useZone(scheduleZone?: string | null): string {
  const { zone } = useSettings();
  if (zone === 'utc') return 'UTC';
  return zone === 'schedule' && scheduleZone ? scheduleZone : ownZone();
}

/** What is said beside an instant in the zone of a schedule, where other instants are in the browser's: the name of the zone. Else nothing. */
export function useZoneName(at: number, scheduleZone: string | null): string {
  const { zone } = useSettings();
  if (zone !== 'schedule' || scheduleZone === null) return '';
  return zoneNameBeside(at, { zone: scheduleZone, own: ownZone() }) ?? '';
}
