/** Of tasks that nothing saves again by itself. */
const OF_PEOPLE: ReadonlySet<string> = new Set(['api', 'cli']);

/** What will make the task anew under its old name, and how to prevent it; undefined: nothing. */
export function undoneByRename(source: string, { name, to }: { name: string; to: string }): string | undefined {
  if (OF_PEOPLE.has(source)) return undefined;
  const [, set] = /^files:(.*)$/s.exec(source) ?? [];
  if (set !== undefined)
    return `its file still says ${name}, and the next \`escapement apply\` of the set "${set}" would make that anew: give it \`name: ${to}\` there, and the key of above`;
  return `the next save of ${source} makes ${name} anew: take it out of there, or change its name there as well`;
}

/** What will undo an edit by hand, and how to keep it; undefined: nothing, the task is of no file and no code. */
export function undoneBy(source: string): string | undefined {
  if (OF_PEOPLE.has(source)) return undefined;
  if (source === 'code')
    return 'the next deployment of its code undoes this: change defineTask as well (workers that start with the same code leave it)';
  const [, set] = /^files:(.*)$/s.exec(source) ?? [];
  if (set !== undefined)
    return `the next \`escapement apply\` of the set "${set}" undoes this: change its file as well`;
  return `the next save of ${source} undoes what it says of the task (an import: schedule, command, description, mail): change it there as well`;
}
