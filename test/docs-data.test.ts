import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@escapement/store';
import { afterFile, ownPostgres } from '@escapement/testkit';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { allBlocks, placeOf } from '../scripts/docs/blocks.ts';

const ofKind = (language: string) =>
  allBlocks()
    .filter((block) => block.language === language)
    .map((block) => ({ place: placeOf(block), text: block.text }));

test.each(ofKind('sql'))('$place is carried out by Postgres, on a database with the roles', async ({ text }) => {
  // Roles belong to a server.
  const postgres = await ownPostgres();
  await migrate(postgres.url, { roles: {} });
  const client = new Client(postgres.url);
  await client.connect();
  try {
    await client.query(text);
    const { rows } = await client.query<{ rolname: string }>(
      "SELECT rolname FROM pg_roles WHERE rolname LIKE 'shop\\_%' OR rolname = 'ann'",
    );
    expect(rows).toHaveLength(text.trim().split('\n').length);
  } finally {
    await client.end();
  }
});

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const hasSystemd = analyze('--version').status === 0;

// Left out where the program is not installed (Debian: `apt-get install systemd`).
test.skipIf(!hasSystemd).each(ofKind('ini'))('$place is a unit to which systemd has nothing to say', ({ text }) => {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-docs-unit-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  // It wants the programs to be there.
  const unit = text
    .replace('ExecStart=/usr/local/bin/backup', 'ExecStart=/bin/true')
    .replace('/usr/bin/curl', '/bin/true');
  writeFileSync(join(folder, 'backup.service'), unit);
  const { status, stderr } = analyze('verify', join(folder, 'backup.service'));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
