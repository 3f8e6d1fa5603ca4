import type { components } from '../../api/generated/openapi.ts';

export type Verification = components['schemas']['LedgerVerification'];

/** How much of it has been compared, in percent. */
export function percentOf({ from, to, found }: Pick<Verification, 'from' | 'to' | 'found'>): number {
  if (found === null) return 0;
  const [begin, end, at] = [from, to, found.verifiedTo].map(Date.parse);
  const share = ((at ?? 0) - (begin ?? 0)) / Math.max(1, (end ?? 0) - (begin ?? 0));
  return Math.round(Math.min(1, Math.max(0, share)) * 100);
}

export const isUnderWay = ({ state }: Pick<Verification, 'state'>): boolean =>
  state === 'waiting' || state === 'running';
