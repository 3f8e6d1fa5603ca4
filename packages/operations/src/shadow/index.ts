export type { ChosenCutover } from './choose-cutover.ts';
export * from './cut-over.ts';
export { settleCutover } from './decide-cutover.ts';
export * from './receive-reports.ts';
export * from './shadow-status.ts';
