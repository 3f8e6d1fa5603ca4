import { COMMON_COLUMNS } from './common-columns.ts';
import { type Rule, readRules } from './migrated-rules.ts';
import { type Column, readTables, type Table } from './prisma-schema.ts';
import { cell, table } from './table.ts';

const HEADER = `# Tables

<!-- Written by \`npm run docs:reference\` from prisma/schema.prisma and prisma/migrations; do not edit. -->

What Escapement keeps in Postgres. To look by SQL, use the role [\`escapement_reader\`](database-roles.md). Write only through the
[command line](cli.md), the [API](api.md) or the [client](code-tasks.md). Tables and columns may change with a version; the
[changelog](../../CHANGELOG.md) names such changes.

- **Rules** are what Postgres itself refuses: CHECKs, and unique keys that hold for some rows.
- All instants are \`timestamptz(3)\`: milliseconds.
- [Architecture](../explanation/architecture.md#tables) says who writes which table, and why.

| rule of the ledger | what holds it |
|---|---|
| A task has at most one row for an instant, superseded ones apart; one for each worker if it runs on every worker. | unique index \`run_occurrence_key\` of \`run\` |
| A run that follows another is made once. | unique index \`run_chain_key\` of \`run\` |
| A run that has ended never changes. | a trigger of \`run\` |
| Only the run that holds the slot, with its fence, may end. | \`finish_runs()\`, by the row of \`key_slot\` |
`;

/** The text of docs/reference/schema.md. */
export function schemaDoc(): string {
  const rules = readRules();
  const list = readTables().map(({ name, meaning }) => [`[\`${name}\`](#${name})`, cell(meaning)]);
  return [HEADER, table(['table', 'holds'], list), ...readTables().map((each) => tableDoc(each, rules))].join('\n');
}

function tableDoc({ name, meaning, columns, keys }: Table, rules: readonly Rule[]): string {
  const rows = columns.map((column) => [
    `\`${column.name}\``,
    `${column.type}${column.nullable ? ', may be null' : ''}`,
    cell(meaningOf(column)),
  ]);
  const own = rules.filter((rule) => rule.table === name);
  return [
    `## ${name}\n\n${meaning}\n`,
    table(['column', 'type', 'meaning'], rows),
    `Unique: ${keys.map((key) => `\`(${key.join(', ')})\``).join(', ')}.\n`,
    ...(own.length === 0 ? [] : [table(['rule', 'says'], own.map(ruleRow))]),
  ].join('\n');
}

function ruleRow({ name, words }: Rule): string[] {
  return [`\`${name}\``, `\`${cell(words)}\``];
}

/** The words of a column; empty: nobody has written any. */
export function meaningOf({ name, meaning }: Column): string {
  return meaning || (COMMON_COLUMNS[name] ?? '');
}
