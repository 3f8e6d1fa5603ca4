import { expect, test } from 'vitest';
import { checkPayloadTemplate, renderPayload } from './payload-template.ts';

const values = { output: { rows: 3, list: [1, { x: 'y' }], none: null }, payload: { kind: 'IN' }, run: { id: 'r1' } };

test('a string that is nothing but a placeholder becomes the value itself', () => {
  expect(
    renderPayload({ a: '{{output.rows}}', b: ['{{ output.list }}'], c: '{{output}}', d: '{{output.none}}' }, values),
  ).toEqual({
    a: 3,
    b: [[1, { x: 'y' }]],
    c: values.output,
    d: null,
  });
  expect(renderPayload('{{output.list.1.x}}', values)).toBe('y');
});

test('within other text values are put in as text', () => {
  expect(renderPayload('{{payload.kind}}: {{output.rows}} rows of {{run.id}}', values)).toBe('IN: 3 rows of r1');
  expect(() => renderPayload('rows: {{output.list}}', values)).toThrow('{{output.list}} is no text, number or boolean');
});

test('what has no placeholder stays as it is', () => {
  expect(renderPayload({ n: 1, t: true, s: 'a } b', z: null }, values)).toEqual({ n: 1, t: true, s: 'a } b', z: null });
});

test('a value that is not there is an error that names it', () => {
  expect(() => renderPayload('{{output.gone}}', values)).toThrow('there is no output.gone to put into the payload');
  expect(() => renderPayload('{{output}}', { ...values, output: undefined })).toThrow('there is no output');
  expect(() => renderPayload('{{payload.toString}}', values)).toThrow('there is no payload.toString');
});

test('a placeholder of something that no run has is refused when it is declared', () => {
  expect(() => checkPayloadTemplate({ a: ['{{outptu.x}}'] })).toThrow('a template holds {{outptu.x}}');
  expect(() => checkPayloadTemplate('{{}}')).toThrow('a template holds {{}}');
  expect(() => checkPayloadTemplate({ a: '{{output.x}} {{payload.y}} {{run.id}}', b: 1 })).not.toThrow();
});
