export { exportCrontab } from './export-crontab.ts';
export { type CrontabGiven, describeCrontab, importCrontab, previewImport } from './import-crontab.ts';
export {
  type Patched,
  type PatchedLine,
  type PatchOptions,
  patchCrontab,
  patchedLines,
  unpatchCrontab,
} from './patch-crontab.ts';
export { readCrontab } from './read-crontab.ts';
export type { ImportedLine, ImportReport } from './report.ts';
