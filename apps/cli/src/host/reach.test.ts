import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allows, barTo, idsOf, SOMEBODY_ELSE } from './reach.ts';

const ANN = { uid: 1000, gids: [1000, 50] };
const [READ, EXECUTE] = [4, 1];

describe('permission bits', () => {
  it.each([
    ['of the owner count for the owner alone, even where others may more', { uid: 1000, gid: 9, mode: 0o077 }, false],
    ['of the group count for each group of a user', { uid: 0, gid: 50, mode: 0o750 }, true],
    ['of the group count before those of others', { uid: 0, gid: 50, mode: 0o705 }, false],
    ['of others count for everybody else', { uid: 0, gid: 0, mode: 0o755 }, true],
    ['may let nobody else', { uid: 0, gid: 0, mode: 0o700 }, false],
  ])('%s', (_, file, allowed) => {
    expect([allows(file, ANN, READ), allows(file, ANN, EXECUTE)]).toEqual([allowed, allowed]);
  });

  it('of a file that is to be read need not let it be started, and the other way round', () => {
    const file = { uid: 0, gid: 0, mode: 0o644 };
    expect([allows(file, ANN, READ), allows(file, ANN, EXECUTE)]).toEqual([true, false]);
  });
});

describe('what keeps a user from a file', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'escapement-reach-')));
  const path = join(folder, 'inner', 'file');
  mkdirSync(join(folder, 'inner'));
  writeFileSync(path, '');
  const modes = (outer: number, inner: number, file: number) => {
    chmodSync(path, file);
    chmodSync(join(folder, 'inner'), inner);
    chmodSync(folder, outer);
  };

  it('is the first folder that is closed, or the file', async () => {
    modes(0o700, 0o755, 0o644);
    expect(await barTo({ path, need: 'read' }, SOMEBODY_ELSE)).toBe(`${folder} is closed to it (mode 700)`);
    modes(0o711, 0o711, 0o640);
    expect(await barTo({ path, need: 'read' }, SOMEBODY_ELSE)).toBe(`${path} is closed to it (mode 640)`);
    modes(0o711, 0o711, 0o644);
    expect(await barTo({ path, need: 'read' }, SOMEBODY_ELSE)).toBeUndefined();
    expect(await barTo({ path, need: 'execute' }, SOMEBODY_ELSE)).toBe(`${path} is closed to it (mode 644)`);
  });

  it('is nothing for root', async () => {
    modes(0o700, 0o700, 0o600);
    expect(await barTo({ path, need: 'read' }, { uid: 0, gids: [0] })).toBeUndefined();
  });
});

it('a user of this host has numbers, and one that is not there has none', async () => {
  expect(await idsOf('root')).toMatchObject({ uid: 0, gids: expect.arrayContaining([0]) });
  expect(await idsOf('no-such-user-here')).toBeUndefined();
});
