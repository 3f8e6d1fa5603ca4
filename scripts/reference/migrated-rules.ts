import { readdirSync, readFileSync } from 'node:fs';

/** What Postgres refuses in a table, besides its keys. */
export interface Rule {
  table: string;
  name: string;
  words: string;
}

/** The CHECKs and partial unique indexes that the migrations have made and not dropped. */
export function readRules(): Rule[] {
  const root = new URL('../../prisma/migrations/', import.meta.url);
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const rules = new Map<string, Rule>();
  for (const { name } of folders.sort((one, other) => (one.name < other.name ? -1 : 1)))
    readInto(rules, readFileSync(new URL(`${name}/migration.sql`, root), 'utf8'));
  return [...rules.values()];
}

function readInto(rules: Map<string, Rule>, sql: string): void {
  const text = sql.replaceAll(/--.*$/gm, '');
  for (const [, name = ''] of text.matchAll(/DROP (?:CONSTRAINT|INDEX)(?: IF EXISTS)? "(\w+)"/g)) rules.delete(name);
  for (const [statement] of text.matchAll(/(?:CREATE|ALTER) TABLE[^;]*;/g))
    for (const rule of checksOf(statement)) rules.set(rule.name, rule);
  const unique = /CREATE UNIQUE INDEX "(\w+)" ON "(\w+)" (\([^;]*?\)) WHERE ([^;]*);/g;
  for (const [, name = '', table = '', columns = '', where = ''] of text.matchAll(unique))
    rules.set(name, { name, table, words: plain(`unique ${columns} where ${where}`) });
}

function checksOf(statement: string): Rule[] {
  const table = /TABLE "?(\w+)/.exec(statement)?.[1] ?? '';
  return [...statement.matchAll(/CONSTRAINT "(\w+)" CHECK \(/g)].map((match) => {
    const from = match.index + match[0].length;
    return { table, name: match[1] ?? '', words: plain(statement.slice(from, closing(statement, from))) };
  });
}

/** Where the parenthesis that is open at an index is closed. */
function closing(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') open++;
    else if (text[at] === ')' && --open === 0) return at;
  }
  return text.length;
}

function plain(sql: string): string {
  return sql.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim();
}
