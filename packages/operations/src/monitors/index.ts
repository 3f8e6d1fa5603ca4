export * from './monitors.ts';
export * from './receive-ping.ts';
