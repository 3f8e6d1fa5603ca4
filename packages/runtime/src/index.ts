export * from './app.ts';
export { type AuditorOptions, createAuditor } from './auditor.ts';
export * from './boot.ts';
export * from './event-lines.ts';
