export * from './awaited-until.ts';
export * from './catch-up-policy.ts';
export * from './judge-catch-up.ts';
export * from './misfire.ts';
export * from './occurrences.ts';
export * from './pause.ts';
export * from './planned-occurrence.ts';
export * from './rules.ts';
