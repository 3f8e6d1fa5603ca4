import type { End } from '../time/ends.ts';

const ENDS: Readonly<Record<End, string>> = {
  hour: 'for an hour',
  day: 'for a day',
  week: 'for a week',
  at: 'until an instant',
};

export const common = {
  product: 'Escapement',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  loading: 'Loading',
  more: 'Load more',
  request: (id: string) => `request ${id}`,
  away: 'The API does not answer.',
  awayFix: 'Its last answers stay on the screen. It is asked again by itself.',
  stale: 'This could not be read anew; what you see may be old.',
  unexpected: 'This page has a mistake of its own, and cannot be shown.',
  reload: 'Reload the page',
  notAllowed: (right: string) => `You need the right \`${right}\` for this.`,
  reason: 'Reason',
  reasonHint: 'It is kept in the audit log.',
  ends: ENDS,
  endAt: (zone: string) => `Until, in ${zone}`,
  pool: 'Pool',
  allPools: 'All pools',
  usualPool: 'default',
  reasonNeeded: 'Say why.',
  typedCount: (n: number) => `Type ${n} to confirm`,
  typedWrong: (n: number) => `It is done to ${n.toLocaleString('en')}. Type that number.`,
  none: 'none',
  notFound: 'There is no such page.',
  notFoundFix: 'The address may be mistyped, or what it showed was deleted.',
};
