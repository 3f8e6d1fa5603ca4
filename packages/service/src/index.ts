export * from './log-limit.ts';
export * from './loop.ts';
export * from './timer.ts';
