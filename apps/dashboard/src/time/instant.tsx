import { fullInstant, relativeInstant, shortInstant } from './instants.ts';
import { useOfNow } from './now.ts';
import { useZone } from './zone.ts';

interface InstantProps {
  /** ISO 8601. */
  at: string;
  /** The zone of the schedule that it is about, if it is about one. */
  scheduleZone?: string | null | undefined;
  /** `relative`: `4 min ago`. `both`: the instant, and how long ago. Default: the instant. */
  as?: 'instant' | 'relative' | 'both';
}

/** An instant. All of it, with the zone, is its title. */
export function Instant({ at, scheduleZone = null, as = 'instant' }: InstantProps) {
  const zone = useZone(scheduleZone);
  const ms = Date.parse(at);
  const short = useOfNow((now) => shortInstant(ms, { zone, now }));
  const relative = useOfNow((now) => relativeInstant(ms, now));
  const text = as === 'relative' ? relative : as === 'instant' ? short : `${short} (${relative})`;
  return (
    <time dateTime={at} title={`${fullInstant(ms, zone)}, ${relative}`} className="figures">
      {text}
    </time>
  );
}
