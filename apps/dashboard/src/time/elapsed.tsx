import { durationWords, SECOND } from './durations.ts';
import { useOfNow } from './now.ts';

/** How long something took, or has taken up to now. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  const fromMs = Date.parse(from);
  const soFar = useOfNow((now) => (to === null ? durationWords(Math.floor((now - fromMs) / SECOND) * SECOND) : ''));
  return <span className="figures">{to === null ? soFar : durationWords(Date.parse(to) - fromMs)}</span>;
}
