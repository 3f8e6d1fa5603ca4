const HEADING = /^## (\S+), (.+)$/m;

/** The newest section of CHANGELOG.md. Throws where there is none. */
export function newestSection(text: string): { version: string; when: string } {
  const [, version = '', when = ''] = HEADING.exec(text) ?? [];
  if (version === '') throw new Error('CHANGELOG.md has no section "## VERSION, unreleased"');
  return { version, when };
}

/** With a date, and the version that it becomes, in the place of `unreleased`. Throws where the newest section was released already. */
export function releasedIn(text: string, version: string, date: string): string {
  const newest = newestSection(text);
  if (newest.when !== 'unreleased')
    throw new Error(`the newest section of CHANGELOG.md is ${newest.version} of ${newest.when}: nothing is unreleased`);
  return text.replace(HEADING, `## ${version}, ${date}`);
}

/** With an empty section for what comes next. Throws where there is one already. */
export function openedIn(text: string, version: string): string {
  const newest = newestSection(text);
  if (newest.when === 'unreleased') throw new Error(`CHANGELOG.md has a section for ${newest.version} already`);
  return text.replace(HEADING, (heading) => `## ${version}, unreleased\n\n### For everybody\n\n${heading}`);
}

/** What a section says, without its heading. */
export function notesOf(text: string, version: string): string {
  const section = text.split(/^(?=## )/m).find((each) => each.startsWith(`## ${version}, `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}`);
  return section.replace(/^## .*\n/, '').trim();
}
