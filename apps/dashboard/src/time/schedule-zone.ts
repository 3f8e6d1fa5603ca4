/** The zone of a schedule; null: it has none, as one that is due every so often. */
export function zoneOf({ schedule }: { schedule?: unknown }): string | null {
  const zone = typeof schedule === 'object' && schedule !== null && 'timeZone' in schedule ? schedule.timeZone : null;
  return typeof zone === 'string' ? zone : null;
}
