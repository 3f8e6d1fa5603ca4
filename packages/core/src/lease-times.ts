import { SECOND } from './clock.ts';

/** How long a key stays reserved, a heartbeat is believed, a lease is held without renewal. */
export const LEASE_MS = 10 * SECOND;
/**
 * A lease that was taken away (a flush) is over for its run after this share of the lease time: who may take it anew has
 * done so by then.
 */
export const LEASE_GONE_SHARE = 0.4;
/** How long a slot stays reserved for the next in the wait queue before it is for anyone. The SQL function reservation says the same. */
export const RESERVATION_MS = 5 * SECOND;
