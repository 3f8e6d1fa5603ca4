import { durationWords } from './durations.ts';
import { useNow } from './now.ts';

/** How long something took, or has taken up to now. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  const now = useNow();
  const ms = (to === null ? now : Date.parse(to)) - Date.parse(from);
  return (
    <span className="figures">{to === null ? durationWords(Math.floor(ms / 1000) * 1000) : durationWords(ms)}</span>
  );
}
