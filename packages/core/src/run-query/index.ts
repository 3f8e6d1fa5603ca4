export { parseRunQuery, type RunQuery, type RunQueryOptions } from './run-query.ts';
export { parseTaskQuery, type TaskQuery } from './task-query.ts';
export { type Place, RunQueryError } from './terms.ts';
export { writeRunQuery } from './write-run-query.ts';
