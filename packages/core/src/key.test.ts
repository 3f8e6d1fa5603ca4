import { expect, test } from 'vitest';
import { checkKeyTemplate, renderKey } from './key.ts';

test('a template takes its fields from the payload', () => {
  expect(renderKey('invoice:{{payload.doc.type}}:{{ payload.page }}', { doc: { type: 'IN' }, page: 2 })).toBe(
    'invoice:IN:2',
  );
});

test.each(['x{{payload.a}', 'x{{payload.a', 'x payload.a}}', '{{payload.a}}{{'])(
  'half a placeholder is refused and not taken as text: %s',
  (template) => {
    expect(() => checkKeyTemplate(template)).toThrow(/without its other half/);
  },
);

test.each(['plain', 'a{b}c', 'x{{{payload.a}}}', 'x{{payload.a}}y{{payload.b.c}}'])('%s is a template', (template) => {
  expect(() => checkKeyTemplate(template)).not.toThrow();
});
