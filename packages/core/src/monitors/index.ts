export * from './judge.ts';
export * from './monitor-status.ts';
export * from './ping-body.ts';
export * from './ping-intake.ts';
export * from './rate.ts';
export * from './signal.ts';
export * from './spec.ts';
