export { exportCrontab } from './export-crontab.ts';
export { type CrontabGiven, describeCrontab, importCrontab, previewImport } from './import-crontab.ts';
