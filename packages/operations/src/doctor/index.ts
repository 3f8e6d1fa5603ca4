export * from './examine.ts';
export * from './finding.ts';
export { judgeClock, judgeRedis } from './judge.ts';
