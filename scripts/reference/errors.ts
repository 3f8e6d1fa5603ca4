import { ERROR_SECTIONS, type ErrorFacts } from '@escapement/core';
import { cell, table } from './table.ts';

const HEADER = `# Error codes

<!-- Written by \`npm run docs:reference\` from packages/core/src/error-codes; do not edit. -->

Each error has a code. Codes stay the same in later versions. Programs look at the code, people at the message: it has the value,
and says what is allowed.

- The command line writes the message and what to do. With \`-o json\` it writes \`{ "error": { "code", "message", "fix" } }\` to standard error.
- The [HTTP API](api.md) answers with \`application/problem+json\`, which has the same code.
- [Tools of an assistant](../how-to/use-with-an-assistant.md) and [the client](code-tasks.md) have the same codes.

| column | meaning |
|---|---|
| status | the HTTP status, where the API answers with the code. *404 or 422*: 404 if the request is about the thing itself, 422 if it only names it. *-*: it does not |
| exit | what the command line ends with: 2 wrong input, 3 a server that cannot be used, 130 Ctrl-C. [All exit codes](commands.md#exit-codes) |
`;

/** The text of docs/reference/errors.md. */
export function errorsDoc(): string {
  return [HEADER, ...ERROR_SECTIONS.map(({ title, codes }) => `## ${title}\n\n${codesDoc(codes)}`)].join('\n');
}

function codesDoc(codes: Readonly<Record<string, ErrorFacts>>): string {
  const rows = Object.entries(codes).map(([code, { when, fix, status, exit }]) => [
    `\`${code}\``,
    cell(when),
    cell(fix),
    status === null ? '-' : String(status),
    String(exit),
  ]);
  return table(['code', 'when', 'what to do', 'status', 'exit'], rows);
}
