import { type Declaration, exportedDeclarations, type Member } from '../../apps/dashboard/build/declarations.ts';
import { cell, table } from './table.ts';

const HEADER = `# What the SDK exports

<!-- Written by \`npm run docs:reference\` from packages/sdk/src; do not edit. -->

All that \`@escapement/sdk\` exports, and \`escapement\` with it. [Tasks in TypeScript](code-tasks.md) explains it, with examples.

\`\`\`ts
import { cron, defineTask } from '@escapement/sdk';
\`\`\`
`;

const TITLES: readonly [Declaration['kind'], string][] = [
  ['function', 'Functions'],
  ['class', 'Errors'],
  ['constant', 'Constants'],
  ['type', 'Types'],
];

/** The text of docs/reference/sdk.md. */
export function sdkDoc(): string {
  const all = exportedDeclarations(new URL('../../packages/sdk/src/index.ts', import.meta.url));
  const sections = TITLES.map(([kind, title]) => {
    const declarations = all.filter((each) => each.kind === kind);
    return `## ${title}\n\n${declarations.map(declarationDoc).join('\n')}`;
  });
  return [HEADER, ...sections].join('\n');
}

function declarationDoc({ name, text, comment, members }: Declaration): string {
  const parts = [`### ${name}\n`, comment && `${comment}\n`, `\`\`\`ts\n${text}\n\`\`\`\n`, membersDoc(members)];
  return parts.filter(Boolean).join('\n');
}

function membersDoc(members: readonly Member[]): string {
  if (members.length === 0) return '';
  const rows = members.map(({ name, type, optional, comment }) => [
    `\`${name}${optional ? '?' : ''}\``,
    `\`${cell(type)}\``,
    cell(comment),
  ]);
  return table(['member', 'type', 'meaning'], rows);
}
