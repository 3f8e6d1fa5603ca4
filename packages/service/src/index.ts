export * from './config/index.ts';
export * from './log-limit.ts';
export * from './loop.ts';
export * from './timer.ts';
