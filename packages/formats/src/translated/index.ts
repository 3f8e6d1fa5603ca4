export type { ExportedTask, LeftTask } from './exported-task.ts';
export { type GivenTask, TASK_FORMATS, type TaskFormat, wholeDefinition } from './formats.ts';
export type { Translated, Translation, Untranslated } from './translated.ts';
