export * from './calendar.ts';
export * from './occurrences.ts';
export * from './spec.ts';
