export * from './compare-host.ts';
export * from './cron-report.ts';
export * from './shadow-of-line.ts';
