export * from './traced-run.ts';
export * from './traceparent.ts';
