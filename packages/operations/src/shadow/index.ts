export * from './receive-reports.ts';
export * from './shadow-status.ts';
