import { ROUTES } from '@escapement/api';
import { cell, table } from './table.ts';

const HEADER = `# Routes of the HTTP API

<!-- Written by \`npm run docs:reference\` from packages/api/src/routes; do not edit. -->

[openapi.json](openapi.json) says of each route what it takes and answers; a server has it at \`GET /openapi.json\`. [api.md](api.md) has what all of them
share. The right is the one that the caller needs ([rights.md](rights.md)), the act the one that the audit names.
`;

/** The text of docs/reference/routes.md. */
export function routesDoc(): string {
  const tags = [...new Set(ROUTES.map(({ tag }) => tag))].sort();
  return [HEADER, ...tags.map(section)].join('\n');
}

function section(tag: string): string {
  const routes = ROUTES.filter((route) => route.tag === tag);
  return `## ${tag}\n\n${table(HEADS, routes.map(rowOf))}`;
}

const HEADS = ['request', 'answer, or effect', 'right', 'action'];

function rowOf({ method, path, summary, right, anyone, audit }: (typeof ROUTES)[number]): string[] {
  return [
    `\`${method} ${path}\``,
    cell(summary),
    anyone ? 'none' : (right ?? 'any'),
    audit === null ? '' : `\`${audit}\``,
  ];
}
