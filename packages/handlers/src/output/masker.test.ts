import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMasker } from './masker.ts';

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
