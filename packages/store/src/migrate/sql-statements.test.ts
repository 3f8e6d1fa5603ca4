import { expect, test } from 'vitest';
import { statementStarts } from './sql-statements.ts';

const statements = (sql: string) => statementStarts(sql).map((start) => sql.slice(start, start + 8));

test('statements are divided by semicolons, and begin after space and comments', () => {
  expect(statements('-- one; two\nSELECT 1;;\n /* a; /* nested; */ b; */ SELECT 2 ;\n')).toEqual([
    'SELECT 1',
    'SELECT 2',
  ]);
});

test('a semicolon in a string, a name or a quoted body divides nothing', () => {
  expect(statements(`INSERT 1 VALUES (';', 'it''s;', E'\\';', ";"); SELECT 2`)).toEqual(['INSERT 1', 'SELECT 2']);
  expect(statements('CREATE f() AS $body$ a; $$ b; $$ $body$; SELECT 2')).toEqual(['CREATE f', 'SELECT 2']);
  expect(statements('SELECT a$1$ ; SELECT 2')).toEqual(['SELECT a', 'SELECT 2']);
});

test('what is never closed reaches to the end', () => {
  expect(statements('SELECT 1; $$ ; SELECT 2')).toEqual(['SELECT 1', '$$ ; SEL']);
  expect(statements('SELECT 1; /* ; SELECT 2')).toEqual(['SELECT 1']);
});
