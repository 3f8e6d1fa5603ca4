export * from './error.ts';
export * from './explain/describe.ts';
export * from './next-fire.ts';
export { oracleFires } from './oracle/fires.ts';
export * from './parse.ts';
export type * from './schedule.ts';
export * from './spec.ts';
