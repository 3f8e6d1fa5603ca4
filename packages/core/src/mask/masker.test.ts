import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMasker, maskWith } from './masker.ts';

function mask(secrets: string[], ...pieces: string[]): string {
  const masker = createMasker(secrets);
  return pieces.map((piece) => masker.push(piece)).join('') + masker.end();
}

describe('createMasker', () => {
  test('masks every occurrence', () => {
    expect(mask(['hunter2'], 'a hunter2 b hunter2')).toBe('a *** b ***');
  });

  test('masks a secret that is split between pieces', () => {
    expect(mask(['hunter2'], 'a hun', 'te', 'r2 b')).toBe('a *** b');
  });

  test('gives back at once what cannot belong to a secret', () => {
    expect(createMasker(['hunter2']).push('line\nhun')).toBe('line\n');
  });

  test('gives back the start of a secret that does not follow', () => {
    expect(mask(['hunter2'], 'hunt', 'ing')).toBe('hunting');
  });

  test('shows no part of a secret that overlaps another', () => {
    expect(mask(['abcd', 'cdefg'], 'x abcd', 'efg y')).toBe('x *** y');
  });

  test('masks the forms in which programs print a secret', () => {
    const secret = 'p"ä/ss';
    const base64 = Buffer.from(secret).toString('base64');
    expect(mask([secret], `${JSON.stringify({ secret })} ${encodeURIComponent(secret)} ${base64}`)).toBe(
      '{"secret":"***"} *** ***',
    );
  });

  test.each<[string, string, (secret: string) => string]>([
    ['in base64, after anything', 'tr0ub4dor&3', (secret) => Buffer.from(`app:${secret}`).toString('base64')],
    ['in base64, one further', 'tr0ub4dor&3', (secret) => Buffer.from(`apps:${secret}!`).toString('base64')],
    ['in base64, two further', 'tr0ub4dor&3', (secret) => Buffer.from(`apple:${secret}??`).toString('base64')],
    ['in base64 of URLs', '\u00ff\u00fe~~??', (secret) => Buffer.from(secret).toString('base64url')],
    [
      'in lines of base64',
      'k'.repeat(100),
      (secret) => Buffer.from(secret).toString('base64').replace(/.{76}/g, '$&\n'),
    ],
    ['in hexadecimal', 'tr0ub4dor', (secret) => Buffer.from(secret).toString('hex')],
    ['as JSON in JSON', 'p"\\x', (secret) => JSON.stringify(JSON.stringify({ secret }))],
    ['as JSON in ASCII', 'p\u00e4ss', () => '{"secret":"p\\u00e4ss"}'],
    ['as JSON of PHP', 'a/b/c', () => '{"secret":"a\\/b\\/c"}'],
    ['as a URL part in small letters', 'a/b?c', () => 'x=a%2fb%3fc'],
    ['as a form', 'a b&c', () => 'x=a+b%26c'],
    ['as HTML', 'a<b&"c', () => '<b>a&lt;b&amp;&quot;c</b>'],
    ['as a word of the shell', "it's-me", () => "'it'\\''s-me'"],
  ])('masks a secret %s', (_, secret, printed) => {
    const text = printed(secret);
    const shown = mask([secret], ...text);
    expect(shown).toContain('***');
    // At most the ends of base64 are left, which say a part of a character.
    expect(shown.length).toBeLessThan(text.length);
    for (let at = 0; at + 6 <= secret.length; at++) expect(shown).not.toContain(secret.slice(at, at + 6));
  });

  test('masks the start of a secret where the text was cut off', () => {
    expect(maskWith(['hunter22-and-more'], 'it is hunter22-a…')).toBe('it is ***…');
    expect(maskWith(['hunter22-and-more'], 'said hunter22-a… on 3')).toBe('said ***… on 3');
    expect(maskWith(['hunter22-and-more'], 'it is hunter22')).toBe('it is hunter22');
    const masker = createMasker(['hunter22-and-more']);
    expect(masker.push('it is hunter22') + masker.cut()).toBe('it is ***');
  });

  test('masks each long line of a key', () => {
    expect(mask(['-----BEGIN\nMIIEvgIBADAN\n-----END'], 'read MIIEvgIBADAN')).toBe('read ***');
  });

  test('leaves values too short to be secrets', () => {
    expect(mask(['1', ''], '11 files')).toBe('11 files');
  });

  test('how the text is cut into pieces does not matter', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 8 });
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 3 }), pieces, (secrets, texts) => {
        expect(mask(secrets, ...texts)).toBe(mask(secrets, texts.join('')));
      }),
      { numRuns: 3000 },
    );
  });
});
