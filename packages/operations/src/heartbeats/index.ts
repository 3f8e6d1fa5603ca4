export * from './heartbeats.ts';
export * from './receive-ping.ts';
