import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownPostgres } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { migrate } from '../src/index.ts';
import { sql } from './migrations.ts';

// Roles belong to a server: a server of its own.

const postgres = await ownPostgres();
const FILE = fileURLToPath(new URL('../../../prisma/roles.sql', import.meta.url));
let made = 0;

/** An empty database, as a user who owns it and may do more: `CREATEROLE`, say; with what the superuser sees of it. */
async function newDatabase(attributes = ''): Promise<{ url: string; admin: string; user: string }> {
  made += 1;
  const [name, user] = [`base_${made}`, `user_${made}`];
  await sql(postgres.url, `CREATE ROLE ${user} LOGIN PASSWORD 'x' ${attributes}`);
  await sql(postgres.url, `CREATE DATABASE ${name} OWNER ${user}`);
  const admin = Object.assign(new URL(postgres.url), { pathname: `/${name}` });
  return { user, admin: admin.href, url: Object.assign(new URL(admin), { username: user, password: 'x' }).href };
}

const RIGHTS = `SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`;
const OWNERS = `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace`;

test('without roles nothing changes: who migrates owns all', async () => {
  const { url, user } = await newDatabase();
  expect(await migrate(url)).not.toHaveProperty('rolePrefix');
  expect(await sql(url, OWNERS)).toEqual([{ owner: user }]);
});

test('who may not make roles is told so, and which file to run as whom; by hand it works, and then nothing more is needed', async () => {
  const { url, admin, user } = await newDatabase();
  const refused = migrate(url, { roles: {} });
  await expect(refused).rejects.toMatchObject({
    code: 'may_not_create_roles',
    message: expect.stringMatching(new RegExp(`escapement_owner.*"${user}" may not make them.*CREATEROLE`)),
    fix: expect.stringContaining(`psql -1 -v ON_ERROR_STOP=1 -f ${FILE}`),
  });
  const byHand = () => promisify(execFile)('psql', ['--no-psqlrc', '-q1', '-v', 'ON_ERROR_STOP=1', '-f', FILE, admin]);
  await byHand();
  const rights = await sql(admin, RIGHTS);
  await byHand();
  expect(await sql(admin, RIGHTS)).toEqual(rights);
  expect(await sql(admin, OWNERS)).toEqual([{ owner: 'escapement_owner' }]);

  await sql(postgres.url, `GRANT escapement_owner TO ${user}`);
  expect(await migrate(url)).toMatchObject({ applied: [], rolePrefix: 'escapement_' });
  expect(await sql(admin, RIGHTS)).toEqual(rights);
});

test('an owner with CREATEROLE makes roles of another prefix, which a later migration finds by itself', async () => {
  const { url, admin } = await newDatabase('CREATEROLE');
  expect(await migrate(url, { roles: { prefix: 'shop_' } })).toMatchObject({ rolePrefix: 'shop_' });
  expect(await sql(admin, OWNERS)).toEqual([{ owner: 'shop_owner' }]);
  await sql(
    admin,
    'REVOKE INSERT ON run FROM shop_worker; GRANT DELETE ON audit TO shop_worker; GRANT SELECT ON task TO PUBLIC',
  );
  await sql(admin, 'CREATE TABLE of_others (id integer); GRANT SELECT ON of_others TO PUBLIC');
  expect(await migrate(url)).toMatchObject({ rolePrefix: 'shop_' });
  const held = (right: string) =>
    sql(
      admin,
      `SELECT has_table_privilege('shop_worker', 'run', 'INSERT') AS run,
    has_table_privilege('shop_worker', 'audit', 'DELETE') AS audit, has_table_privilege('shop_reader', 'task', '${right}') AS task,
    has_table_privilege('shop_reader', 'of_others', 'SELECT') AS others`,
    );
  expect(await held('SELECT')).toEqual([{ run: true, audit: false, task: false, others: true }]);
});

test('the roles of a prefix have no rights in a database of another one', async () => {
  await sql(postgres.url, `CREATE ROLE shop_user LOGIN PASSWORD 'x' IN ROLE shop_worker`);
  const { admin } = await newDatabase();
  await migrate(admin, { roles: {} });
  const url = Object.assign(new URL(admin), { username: 'shop_user', password: 'x' }).href;
  await expect(sql(url, 'SELECT name FROM task')).rejects.toMatchObject({ code: '42501' });
});

test('what a superuser migrates later belongs to the owner too', async () => {
  const { admin } = await newDatabase();
  await migrate(admin, { roles: {} });
  await sql(admin, `DROP FUNCTION wake_rated; DELETE FROM _sql_functions WHERE name = 'wake_rated'`);
  expect(await migrate(admin)).toMatchObject({ applied: ['functions/wake_rated'], rolePrefix: 'escapement_' });
  const [made] = await sql(
    admin,
    `SELECT pg_get_userbyid(proowner) AS owner, has_function_privilege('escapement_worker', oid, 'EXECUTE') AS worker,
    has_function_privilege('escapement_reader', oid, 'EXECUTE') AS reader FROM pg_proc WHERE proname = 'wake_rated'`,
  );
  expect(made).toEqual({ owner: 'escapement_owner', worker: true, reader: false });
});

test('a schema other than public is that of the roles and of the functions of the owner', async () => {
  const { url, admin, user } = await newDatabase('CREATEROLE');
  await sql(admin, `CREATE SCHEMA fleet AUTHORIZATION ${user}`);
  await sql(admin, `ALTER DATABASE ${new URL(admin).pathname.slice(1)} SET search_path = fleet`);
  await migrate(url, { roles: { prefix: 'fleet_' } });
  await sql(postgres.url, `CREATE ROLE fleet_user LOGIN PASSWORD 'x' IN ROLE fleet_scheduler`);
  const fleet = Object.assign(new URL(admin), { username: 'fleet_user', password: 'x' }).href;
  expect(await sql(fleet, `SELECT make_partition('run', now() + interval '100 days') AS made`)).toEqual([
    { made: true },
  ]);
  expect(await sql(fleet, `SELECT count(*)::integer AS runs FROM run`)).toEqual([{ runs: 0 }]);
  const paths = await sql(
    admin,
    `SELECT DISTINCT c AS path FROM pg_proc, unnest(proconfig) c WHERE prosecdef AND c LIKE 'search_path%'`,
  );
  expect(paths).toEqual([{ path: 'search_path=fleet, pg_temp' }]);
});

test('a prefix that is none is refused', async () => {
  const { admin } = await newDatabase();
  for (const prefix of ['', 'Shop_', 'pg_x', `x'; DROP TABLE run; --`, 'a'.repeat(41)])
    await expect(migrate(admin, { roles: { prefix } }), prefix).rejects.toMatchObject({ code: 'bad_role_prefix' });
});
