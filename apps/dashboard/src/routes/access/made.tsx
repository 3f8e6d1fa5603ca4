import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';

/** When something was made, and by whom. */
export function Made({ at, by }: { at: string; by: string }) {
  return (
    <>
      <Instant at={at} as="relative" /> <span className="quiet">{words.access.madeBy(by)}</span>
    </>
  );
}
