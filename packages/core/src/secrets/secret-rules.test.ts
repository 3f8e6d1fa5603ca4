import { describe, expect, test } from 'vitest';
import { judgeSecret, parseSecretRules, type SecretUse } from './secret-rules.ts';

const judge = (rules: string, name: string, use: Partial<SecretUse> = {}) =>
  judgeSecret(parseSecretRules(rules), name, { task: 'shop-sync', pool: 'default', ...use });
const url = (text: string) => ({ url: new URL(text) });

test('an entry without bounds is for all tasks', () => {
  expect(judge('ESCAPEMENT_SECRET_*', 'ESCAPEMENT_SECRET_A')).toBeUndefined();
});

test('a secret that is bound elsewhere is refused with its binding', () => {
  const refused = judge('PG tasks=pg-*|report pools=db|night hosts=db.example', 'PG', url('https://x.example/a'));
  expect(refused?.code).toBe('secret_bound');
  expect(refused?.message).toBe(
    'the secret "PG" is not for task shop-sync of pool default, which sends it to x.example: it is bound to tasks pg-* | report, pools db | night, http requests to db.example',
  );
});

describe('each bound holds by itself', () => {
  test.each<[string, Partial<SecretUse>, boolean]>([
    ['S tasks=shop-*', {}, true],
    ['S tasks=shop-*', { task: 'my-shop-sync' }, false],
    ['S tasks=*-sync', {}, true],
    ['S tasks=s*p*c', {}, true],
    ['S tasks=shop-sync*shop-sync', {}, false],
    ['S tasks=shop', {}, false],
    ['S pools=billing', {}, false],
    ['S pools=billing|default', {}, true],
    ['S tasks=shop-* pools=billing', {}, false],
    ['S hosts=api.example', url('https://api.example/a'), true],
    ['S hosts=api.example', url('https://API.example.:8443/a'), true],
    ['S hosts=api.example:443', url('https://api.example/a'), true],
    ['S hosts=api.example:443', url('http://api.example/a'), false],
    ['S hosts=api.example', url('https://api.example.evil.com/'), false],
    ['S hosts=api.example', url('https://evil-api.example/'), false],
    ['S hosts=api.example', url('https://api.example@evil.com/'), false],
    ['S hosts=*.example', url('https://a.b.example/'), true],
    ['S hosts=*.example', url('https://example/'), false],
    ['S hosts=127.0.0.1', url('http://0x7f000001/'), true],
    ['S hosts=[::1]:80', url('http://[0:0::1]/'), true],
    // A command could send it anywhere.
    ['S hosts=api.example', {}, false],
  ])('%s for %j: %s', (rules, use, admitted) => {
    expect(judge(rules, 'S', use) === undefined).toBe(admitted);
  });
});

test('the most exact pattern counts, so a wide one does not open what a narrow one binds', () => {
  const rules = 'S_*, S_SHOP_* tasks=shop-*, S_SHOP_KEY tasks=pay';
  expect(judge(rules, 'S_SHOP_KEY')?.message).toContain('bound to tasks pay');
  expect(judge(rules, 'S_SHOP_URL', { task: 'pay' })?.message).toContain('bound to tasks shop-*');
  expect(judge(rules, 'S_OTHER')).toBeUndefined();
});

test('of several entries for the same names any one suffices', () => {
  const rules = 'S tasks=pay, S hosts=api.example';
  expect(judge(rules, 'S', { task: 'pay' })).toBeUndefined();
  expect(judge(rules, 'S', url('https://api.example'))).toBeUndefined();
  expect(judge(rules, 'S')?.message).toContain('bound to tasks pay, or to http requests to api.example');
});

test.each([
  '*',
  '',
  'A B',
  'A tasks=',
  'A tasks=a|',
  'A task=a',
  'A tasks=a tasks=b',
  'A hosts=a/b',
  'A pools=B',
  '1A',
  'A hosts=256.1.1.1',
])('what is no entry is refused, and no wider one read from it: %j', (text) => {
  expect(() => parseSecretRules(text)).toThrow(expect.objectContaining({ code: 'bad_secrets' }));
});

test('what no entry names is left to whoever looks for its value', () => {
  expect(judge('S_* tasks=a, T', 'T1')).toBeUndefined();
});

test('rules are shown as they were written', () => {
  expect(String(parseSecretRules(' S_* tasks=a , T '))).toBe('S_* tasks=a , T');
});
