export {
  type Patched,
  type PatchedLine,
  type PatchOptions,
  patchCrontab,
  patchedLines,
  unpatchCrontab,
} from './patch-crontab.ts';
export { type ImportPlan, type PlannedLine, planImport } from './plan.ts';
export { type ReadCrontab, type ReadOptions, readCrontab } from './read-crontab.ts';
export { type Imported, type ImportedLine, type ImportReport, reportImport } from './report.ts';
export { type CrontabExport, type ExportOptions, toCrontab } from './to-crontab.ts';
