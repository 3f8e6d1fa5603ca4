export * from './compare-host.ts';
export * from './cron-report.ts';
export * from './cutover.ts';
export { minuteOf } from './pair-starts.ts';
export * from './shadow-of-line.ts';
