import { zoneOf } from './zone.ts';
import type { ZoneRules } from './zone-rules.ts';

/** What this process knows of a zone, between two instants. */
export function zoneRulesOf(timeZone: string, { from, to }: { from: Date; to: Date }): ZoneRules {
  const zone = zoneOf(timeZone);
  let segment = zone.segmentAt(Math.floor(from.getTime() / 1000));
  const { offset } = segment;
  const changes: ZoneRules['changes'] = [];
  for (; segment.end * 1000 <= to.getTime(); ) {
    segment = zone.segmentAt(segment.end);
    if (segment.offset !== segment.offsetBefore) changes.push([segment.start, segment.offset]);
  }
  return { offset, changes };
}
