import { expect, expectTypeOf, test } from 'vitest';
import { defineTask } from './define-task.ts';
import { testTask } from './testing/index.ts';

test('a task has the secrets that it declares, and their names are known to the compiler', async () => {
  const task = defineTask({
    name: 'pays',
    secrets: ['SHOP_KEY'],
    run: (_, ctx) => {
      expectTypeOf(ctx.secrets).toEqualTypeOf<Readonly<Record<'SHOP_KEY', string>>>();
      return ctx.secrets.SHOP_KEY;
    },
  });
  expect(task.toDefinition().handler).toEqual({ type: 'code', name: 'pays', secrets: ['SHOP_KEY'] });
  expect(await testTask(task)).toMatchObject({ status: 'succeeded', output: 'SHOP_KEY' });
  expect(await testTask(task, { secrets: { SHOP_KEY: 'k' } })).toMatchObject({ output: 'k' });
});

test('a secret that is not declared is an error that says what to do, not undefined', async () => {
  const task = defineTask({
    name: 'pays',
    run: (_, { secrets }) => Reflect.get(secrets, 'SHOP_KEY'),
  });
  expect(await testTask(task)).toMatchObject({ status: 'failed', reason: 'task pays declares no secret SHOP_KEY' });
});

test('what is no name of a variable is refused', () => {
  expect(() => defineTask({ name: 'pays', secrets: ['shop-key'], run: () => 1 })).toThrow('secrets.0: letters, digits');
});
