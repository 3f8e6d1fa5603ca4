export * from './calendar.ts';
export * from './days.ts';
export * from './occurrences.ts';
export * from './spec.ts';
