export * from './apply-documents.ts';
export { type PlannedWrite, type PlannedWrites, writesOf } from './held-to-plan.ts';
export type { DocumentProblem, DocumentTask } from './plan-documents.ts';
