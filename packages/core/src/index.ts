export * from './clock.ts';
export * from './errors.ts';
export * from './handler.ts';
export * from './json.ts';
export * from './run-id.ts';
export * from './run-state.ts';
export * from './schedule/spec.ts';
export * from './task.ts';
