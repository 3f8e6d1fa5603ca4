// Where requests of tasks and webhooks may go.

export { networkOf } from './address.ts';
export { guardedLookup, type Resolver } from './guarded-lookup.ts';
export { EgressDenied, judgeUrl } from './judge.ts';
export { isLoopback } from './loopback.ts';
export { DEFAULT_EGRESS, DEFAULT_EGRESS_TEXT, EGRESS_ALLOWED, type EgressPolicy, parseEgress } from './policy.ts';
