export * from './compare-queue.ts';
export * from './drift.ts';
export * from './examine.ts';
export { examineSchema } from './examine-schema.ts';
export * from './finding.ts';
export { inTime } from './in-time.ts';
export { judgeClock, judgeRedis } from './judge.ts';
export { examineProduction } from './production/examine-production.ts';
export { PAGES as PRODUCTION_PAGES } from './production/pages.ts';
