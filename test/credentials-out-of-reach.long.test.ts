import { beforeAll, describe, expect, test } from 'vitest';
import { SHELL_ATTACKS } from './attacks/shell.ts';
import { canBeNobody, type Mode, type Stage, setStage } from './attacks/stage.ts';

// Each attack in docs/how-to/run-a-fleet.md, by a shell task and by one in code, against a real worker. Each must come back
// without a password of Postgres or Redis and without another task's secret.

const NOBODY = 65_534;
const CODE_ATTACKS = [
  'env',
  'environment of the parent',
  'environments of all processes',
  'arguments of all processes',
  'descriptors of the parent',
  'descriptors of all processes',
  'descriptors of its own',
];
const shellAttacks = Object.keys(SHELL_ATTACKS) as (keyof typeof SHELL_ATTACKS)[];

describe.runIf(canBeNobody()).each<{ mode: Mode; readsMemory: boolean }>([
  { mode: 'separated', readsMemory: false },
  { mode: 'same user', readsMemory: true },
  { mode: 'same user, unreadable node', readsMemory: false },
])('$mode', ({ mode, readsMemory }) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage(mode);
  });

  test.each(shellAttacks)('a shell task finds nothing: %s', async (attack) => {
    expect(await stage.byShell(attack)).toEqual([]);
  });

  test.each(CODE_ATTACKS)('a task in code finds nothing: %s', async (attack) => {
    expect(await stage.byCode(attack)).toEqual({ uid: NOBODY, leaked: [] });
  });

  test('the worker says of its memory what is so', async () => {
    const { leaked } = await stage.byCode('memory of the parent');
    expect(leaked.length > 0).toBe(readsMemory);
    expect(await stage.exposes()).toEqual(readsMemory ? ['memory'] : []);
  });
});

// The attacks are no blanks: where nothing is in their way they find what there is.
test.runIf(canBeNobody())('where tasks are root they find all, and the worker says so', async () => {
  const stage = await setStage('root');
  expect(await stage.byShell('files of settings')).toHaveLength(2);
  expect((await stage.byCode('memory of the parent')).leaked).toHaveLength(3);
  expect(await stage.exposes()).toEqual(['root']);
});
