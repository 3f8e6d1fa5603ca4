export { mentionsRunParts } from './call.ts';
export { type FolderEntry, type NameRule, scriptsIn } from './names.ts';
export {
  type FolderOfScripts,
  type RunPartsGiven,
  readRunParts,
  type Starter,
  type StartLine,
  startersIn,
} from './read-run-parts.ts';
