import { fullInstant, relativeInstant, shortInstant } from './instants.ts';
import { useOfNow } from './now.ts';
import { useZone, useZoneName } from './zone.ts';

interface InstantProps {
  /** ISO 8601. */
  at: string;
  /** The zone of the schedule that it is about, if it is about one. */
  scheduleZone?: string | null | undefined;
  /** `relative`: `4 min ago`. `both`: the instant, and how long ago. Default: the instant. */
  as?: 'instant' | 'relative' | 'both';
}

/** An instant. The zone of a schedule is named where its clock is not the browser's. All of it, with the zone, is its title. */
export function Instant({ at, scheduleZone = null, as = 'instant' }: InstantProps) {
  const zone = useZone(scheduleZone);
  const ms = Date.parse(at);
  const zoneName = useZoneName(ms, scheduleZone);
  const clock = useOfNow((now) => shortInstant(ms, { zone, now }));
  const short = zoneName === '' ? clock : `${clock} ${zoneName}`;
  const relative = useOfNow((now) => relativeInstant(ms, now));
  const text = as === 'relative' ? relative : as === 'instant' ? short : `${short} (${relative})`;
  return (
    <time dateTime={at} title={`${fullInstant(ms, zone)}, ${relative}`} className="figures">
      {text}
    </time>
  );
}
