import { readdirSync, readFileSync } from 'node:fs';
import { statusOf } from '@escapement/api';
import { ERROR_SECTIONS, type ErrorText, EscapementError, heardCode } from '@escapement/core';
import { exitOf } from '../../apps/cli/build/reference.ts';
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
| status | the HTTP status, where the API answers with the code. *404, 422*: 404 if the request is about the thing itself, 422 if it only names it. *-*: it does not |
| exit | what the command line ends with: 2 wrong input, 3 a server that cannot be used, 130 Ctrl-C. [All exit codes](commands.md#exit-codes) |
`;

/** The text of docs/reference/errors.md. */
export function errorsDoc(): string {
  const answered = answeredStatuses();
  const sections = ERROR_SECTIONS.map(({ title, codes }) => `## ${title}\n\n${codesDoc(codes, answered)}`);
  return [HEADER, ...sections].join('\n');
}

function codesDoc(codes: Readonly<Record<string, ErrorText>>, answered: Statuses): string {
  const rows = Object.entries(codes).map(([code, { when, fix }]) => [
    `\`${code}\``,
    cell(when),
    cell(fix),
    statusDoc(code, answered),
    String(exitOf({ code })),
  ]);
  return table(['code', 'when', 'what to do', 'status', 'exit'], rows);
}

type Statuses = ReadonlyMap<string, ReadonlySet<number>>;

/** The statuses that stand beside codes in the sources of the API: of answers that are no error of a use case. */
function answeredStatuses(): Statuses {
  const found = new Map<string, Set<number>>();
  const root = new URL('../../packages/api/src/', import.meta.url);
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(new URL(file, root), 'utf8');
    for (const [, status = '', code = ''] of text.matchAll(/status: (\d+),\s*code: '([a-z_]+)'/g))
      found.set(code, (found.get(code) ?? new Set()).add(Number(status)));
  }
  return found;
}

function statusDoc(code: string, answered: Statuses): string {
  const error = new EscapementError(heardCode(code), '');
  const ofErrors = [statusOf(error, [code]), statusOf(error, [])].filter((status) => status !== undefined);
  const statuses = new Set([...ofErrors, ...(answered.get(code) ?? [])]);
  return statuses.size === 0 ? '-' : [...statuses].sort().join(', ');
}
