export { type ExportedTask, exportedTasks, type LeftTask, type TasksAsked } from './exported.ts';
export { TASK_FORMATS, type TaskFormat } from './formats.ts';
export type { Translated, Translation, Untranslated } from './translated.ts';
