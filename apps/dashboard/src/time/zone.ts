import { useSettings } from '../settings/settings.ts';
import { ownZone } from './instants.ts';

/** The zone in which instants are shown: that of the schedule where it is wanted and there is one. */
export function useZone(scheduleZone?: string | null): string {
  const { zone } = useSettings();
  if (zone === 'utc') return 'UTC';
  return zone === 'schedule' && scheduleZone ? scheduleZone : ownZone();
}
