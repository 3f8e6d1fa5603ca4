import { readdirSync, readFileSync } from 'node:fs';
import { asUser, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ROLE_PREFIX } from '../src/index.ts';
import { grantsOf, readRoles } from '../src/roles/roles-file.ts';
import { sql } from './migrations.ts';

// What prisma/roles.sql says is all that there is: no table, function or partition has rights by default, and none was forgotten.

const { url } = await testDatabase();
const text = await readRoles(ROLE_PREFIX);
const grants = grantsOf(text);
const root = new URL('../../../', import.meta.url);

/** role, right and object, as one word each. */
const words = (rows: unknown[]) => rows.map((row) => Object.values(row as object).join(' ')).sort();

/** What the database says, of tables (without partitions), columns and functions. Grants on all columns are of the table. */
const TABLE_RIGHTS = `
SELECT pg_get_userbyid(a.grantee), a.privilege_type, c.relname FROM pg_class c, aclexplode(c.relacl) a
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND a.grantee <> c.relowner`;
const COLUMN_RIGHTS = `
SELECT pg_get_userbyid(a.grantee), a.privilege_type, c.relname || '.' || t.attname FROM pg_class c
JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`;
const FUNCTION_RIGHTS = `
SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END, a.privilege_type, p.proname
FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
WHERE p.pronamespace = 'public'::regnamespace AND a.grantee <> p.proowner`;

const names = async (query: string) => words(await sql(url, query));
const tables = await names(
  `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition`,
);

test('the rights in the database are those of the file, and no others', async () => {
  const said = grants.flatMap(({ role, right, name, columns }) =>
    columns === null ? [`${role} ${right} ${name}`] : columns.map((column) => `${role} ${right} ${name}.${column}`),
  );
  const there = [...(await names(TABLE_RIGHTS)), ...(await names(COLUMN_RIGHTS)), ...(await names(FUNCTION_RIGHTS))];
  expect(there.sort()).toEqual([...new Set(said)].sort());
  expect(said.length).toBeGreaterThan(300);
});

test('a table is in the file twice, for its owner and for its rights', () => {
  const [, listed = ''] = /v_tables text\[\] := ARRAY\[([^\]]+)\]/.exec(text) ?? [];
  const owned = [...listed.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect(owned.toSorted()).toEqual(tables);
  expect([...new Set(grants.filter(({ kind }) => kind === 'table').map(({ name }) => name))].sort()).toEqual(tables);
});

test('a function is in the file: for some roles, or for nobody', () => {
  const [, nobody = ''] = /^-- For nobody but the owner[\s\S]*?^-- ([a-z_, ]+)$/m.exec(text) ?? [];
  const functions = readdirSync(new URL('prisma/functions/', root)).flatMap(
    (file) => /^(\w+)\.sql$/.exec(file)?.[1] ?? [],
  );
  const given = grants.filter(({ kind }) => kind === 'function').map(({ name }) => name);
  expect([...new Set([...given, ...nobody.split(', ')])].sort()).toEqual(functions.sort());
});

test('PUBLIC has nothing, and no role of a program owns anything', async () => {
  expect(
    await names(
      `SELECT c.relname FROM pg_class c, aclexplode(c.relacl) a WHERE c.relnamespace = 'public'::regnamespace AND a.grantee = 0`,
    ),
  ).toEqual([]);
  expect((await names(FUNCTION_RIGHTS)).filter((right) => right.startsWith('PUBLIC'))).toEqual([]);
  expect(
    await names(
      `SELECT privilege_type FROM pg_namespace, aclexplode(nspacl) a WHERE nspname = 'public' AND a.grantee = 0`,
    ),
  ).toEqual(['USAGE']);
  const owners = `SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = 'public'::regnamespace`;
  expect(await names(owners)).toEqual(['escapement_owner']);
  const users = `SELECT DISTINCT d.deptype, r.rolname FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
    WHERE d.refclassid = 'pg_authid'::regclass AND d.deptype = 'o' AND r.rolname LIKE 'escapement\\_%'`;
  expect(await names(users)).toEqual(['o escapement_owner']);
});

test('each partition, also one that is made later, has the rights of its table', async () => {
  await sql(asUser(url, 'scheduler'), `SELECT make_partition('run', now() + interval '100 days')`);
  const rights = (
    relation: string,
  ) => `SELECT coalesce(string_agg(pg_get_userbyid(a.grantee) || ' ' || a.privilege_type, ',' ORDER BY 1), '')
    FROM aclexplode(${relation}.relacl) a WHERE a.grantee <> ${relation}.relowner`;
  const differing = await names(`
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
    WHERE p.relkind = 'p' AND (${rights('c')}) <> (${rights('p')})`);
  expect(differing).toEqual([]);
  expect(
    await names(`SELECT count(*) FROM pg_inherits WHERE inhparent IN ('run'::regclass, 'attempt'::regclass)`),
  ).not.toEqual(['0']);
});

test('what acts by the right of the owner looks names up where nobody else makes any, and nowhere else', async () => {
  const definers = await sql(
    url,
    `SELECT proname AS name, (SELECT c FROM unnest(proconfig) c WHERE c LIKE 'search\\_path=%') AS path FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY 1`,
  );
  expect(definers).toEqual(
    [
      'add_old_bound',
      'drop_partition',
      'grant_partitions',
      'grants_of',
      'make_partition',
      'note_labels',
      'note_queue',
      'note_refusal',
      'prove_old_bound',
      'prune_audit',
      'take_partition_out',
    ].map((name) => ({
      name,
      path: 'search_path=public, pg_temp',
    })),
  );
});

const ORDER = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** A cell of the table in the reference. */
function cell(table: string, role: string): string {
  const rights = grants.filter((grant) => grant.name === table && grant.role === `${ROLE_PREFIX}${role}`);
  return rights
    .toSorted((one, other) => ORDER.indexOf(one.right) - ORDER.indexOf(other.right))
    .map(({ right, columns }) => `${right[0]}${columns === null ? '' : '*'}`)
    .join(' ');
}

test('docs/reference/database-roles.md shows the rights on each table', () => {
  const page = readFileSync(new URL('docs/reference/database-roles.md', root), 'utf8');
  const rows = tables.map(
    (table) =>
      `| \`${table}\` | ${['scheduler', 'worker', 'api', 'reader'].map((role) => cell(table, role)).join(' | ')} |`,
  );
  const shown = page.split('\n').filter((line) => /^\| `\w+` \|(?: [SIUD* ]*\|){4}$/.test(line));
  expect(shown).toEqual(rows);
});
