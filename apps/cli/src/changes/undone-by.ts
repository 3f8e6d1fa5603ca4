/** What will undo an edit by hand, and how to keep it; undefined: nothing, the task is of no file and no code. */
export function undoneBy(source: string): string | undefined {
  if (source === 'cli') return undefined;
  if (source === 'code')
    return 'the next deployment of its code undoes this: change defineTask as well (workers that start with the same code leave it)';
  const [, set] = /^files:(.*)$/s.exec(source) ?? [];
  if (set !== undefined)
    return `the next \`escapement apply\` of the set "${set}" undoes this: change its file as well`;
  return `the next save of ${source} undoes what it says of the task (an import: schedule, command, description, mail): change it there as well`;
}
