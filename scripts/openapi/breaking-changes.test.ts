import { expect, test } from 'vitest';
import { breakingChanges, mayBreak, type OpenApi } from './breaking-changes.ts';
import type { Schema } from './schema-fits.ts';

const text = { type: 'string' };

/** A document with one route. */
function documentOf({
  body = { type: 'object', properties: { name: text }, required: ['name'], additionalProperties: false } as Schema,
  answer = { type: 'object', properties: { id: text }, required: ['id'] } as Schema,
  query = { type: 'integer' } as Schema,
  schemas = {} as OpenApi['components']['schemas'],
} = {}): OpenApi {
  const operation = {
    operationId: 'makeTask',
    'x-right': 'edit',
    parameters: [{ name: 'limit', in: 'query', required: false, schema: query }],
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: { 201: { content: { 'application/json': { schema: answer } } } },
  };
  return { info: { version: '0.1.0' }, paths: { '/v1/tasks': { post: operation } }, components: { schemas } };
}

type Change = (operation: OpenApi['paths'][string][string]) => unknown;

/** What a change of the one route breaks. */
function broken(change: Change): string[] {
  const after = structuredClone(documentOf());
  const operation = after.paths['/v1/tasks']?.post;
  if (!operation) throw new Error('there is no route');
  change(operation);
  return breakingChanges(documentOf(), after).map((each) => each.replace('POST /v1/tasks: ', ''));
}

test('a path that is gone breaks, and so does a method', () => {
  expect(breakingChanges(documentOf(), { ...documentOf(), paths: {} })).toEqual(['POST /v1/tasks: is gone']);
  expect(breakingChanges(documentOf(), { ...documentOf(), paths: { '/v1/tasks': {} } })).toEqual([
    'POST /v1/tasks: is gone',
  ]);
});

test('a path and a method that are new break nobody', () => {
  expect(breakingChanges({ ...documentOf(), paths: {} }, documentOf())).toEqual([]);
});

test.each<[string, Change, string[]]>([
  ['another name', (op) => (op.operationId = 'saveTask'), ['is called saveTask, was makeTask']],
  ['another right', (op) => (op['x-right'] = 'admin'), ['takes the right admin, took edit']],
  ['no right', (op) => (op['x-right'] = null), []],
  ['a parameter that is gone', (op) => (op.parameters = []), ['query parameter limit is gone']],
  [
    'a new parameter that is required',
    (op) => op.parameters.push({ name: 'note', in: 'query', required: true, schema: text }),
    ['query parameter note is new, and required'],
  ],
  [
    'a new one that is not',
    (op) => op.parameters.push({ name: 'note', in: 'query', required: false, schema: text }),
    [],
  ],
  [
    'another status',
    (op) => (op.responses = { 200: op.responses[201] ?? { content: {} } }),
    ['does not answer 201 any more, but 200'],
  ],
  [
    'another media type',
    (op) => (op.responses = { 201: { content: { 'text/plain': { schema: text } } } }),
    ['answer 201 is no application/json any more'],
  ],
  [
    'no body',
    (op) => {
      delete op.requestBody;
    },
    ['no body is taken any more'],
  ],
])('of a route: %s', (_, change, breaks) => {
  expect(broken(change)).toEqual(breaks);
});

test('a body that is required where none was taken breaks, and a route that asks who it is', () => {
  const before = documentOf();
  const operation = before.paths['/v1/tasks']?.post;
  if (operation) {
    delete operation.requestBody;
    operation.security = [];
  }
  expect(breakingChanges(before, documentOf())).toEqual([
    'POST /v1/tasks: asks who it is; anybody could ask',
    'POST /v1/tasks: a body is required now',
  ]);
});

const object = (properties: { [name: string]: Schema }, required: string[] = []): Schema => ({
  ...{ type: 'object', properties, required },
});
const either = (...anyOf: Schema[]): Schema => ({ anyOf });
const NULL = { type: 'null' };
const some = (...words: string[]): Schema => ({ type: 'string', enum: words });

test.each<[string, Schema, Schema, string[]]>([
  ['a field that is new', object({}), object({ a: text }), []],
  ['a field that is new and required', object({}), object({ a: text }, ['a']), ['a: is required now']],
  ['a field that is gone', object({ a: text }), object({}), ['a: is gone']],
  ['a field that is renamed', object({ a: text }), object({ b: text }), ['a: is gone']],
  ['a field that becomes required', object({ a: text }), object({ a: text }, ['a']), ['a: is required now']],
  ['a field that becomes optional', object({ a: text }, ['a']), object({ a: text }), []],
  ['another type', object({ a: text }), object({ a: { type: 'integer' } }), ['a: is integer, was string']],
  ['a wider number', { type: 'integer' }, { type: 'number' }, []],
  ['a narrower number', { type: 'number' }, { type: 'integer' }, ['is integer, was number']],
  ['anything any more', {}, text, ['is string, was anything']],
  ['a word less', some('a', 'b'), some('a'), ['"b" is not taken any more']],
  ['a word more', some('a'), some('a', 'b'), []],
  ['words in place of text', text, some('a'), ['must be one of ["a"]']],
  ['text in place of words', some('a'), text, []],
  ['null is taken too', text, either(text, NULL), []],
  ['null is not taken any more', either(text, NULL), text, ['"null" is not taken any more (is string, was null)']],
  [
    'null is not taken any more',
    { type: ['string', 'null'] },
    text,
    ['"null" is not taken any more (is string, was null)'],
  ],
  ['two ways to write null', { type: ['string', 'null'] }, either(NULL, text), []],
  ['a higher minimum', { type: 'integer', minimum: 1 }, { type: 'integer', minimum: 2 }, ['minimum is 2, was 1']],
  ['a lower minimum', { type: 'integer', minimum: 2 }, { type: 'integer', minimum: 1 }, []],
  ['a maximum', text, { type: 'string', maxLength: 9 }, ['maxLength is 9, was none']],
  ['no maximum', { type: 'string', maxLength: 9 }, text, []],
  ['another pattern', { ...text, pattern: 'a' }, { ...text, pattern: 'b' }, ['pattern is "b", was "a"']],
  ['another default', { ...text, default: 'a' }, { ...text, default: 'b' }, ['default is "b", was "a"']],
  ['what is not known', { ...text, not: {} }, text, ['not is none, was {}']],
  ['another description', { ...text, description: 'a' }, { ...text, description: 'b' }, []],
  ['another example', text, { ...text, example: 'a', examples: ['b'] }, []],
  ['items', { type: 'array', items: text }, { type: 'array', items: NULL }, ['[]: is null, was string']],
  [
    'fields that nobody knows',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: { type: 'integer' } },
    ['*: is integer, was string'],
  ],
  [
    'no further fields',
    object({}),
    { ...object({}), additionalProperties: false },
    ['further fields are not taken as they were'],
  ],
  [
    'one kind of several that takes less',
    { oneOf: [object({ kind: { const: 'a' }, x: text }), object({ kind: { const: 'b' } })] },
    { oneOf: [object({ kind: { const: 'a' } }), object({ kind: { const: 'b' } })] },
    ['"a" is not taken any more (x: is gone)'],
  ],
])('of what is asked: %s', (_, before, after, breaks) => {
  const own = breakingChanges(documentOf({ body: before }), documentOf({ body: after }));
  expect(own).toEqual(breaks.map((each) => `POST /v1/tasks: body ${each}`));
  const ofQuery = breakingChanges(documentOf({ query: before }), documentOf({ query: after }));
  expect(ofQuery).toEqual(breaks.map((each) => `POST /v1/tasks: query parameter limit ${each}`));
});

test.each<[string, Schema, Schema, string[]]>([
  ['a field that is new', object({}), object({ a: text }, ['a']), []],
  ['a field that is gone', object({ a: text }), object({}), ['a: is gone']],
  ['a field that is renamed', object({ a: text }, ['a']), object({ b: text }, ['b']), ['a: is gone']],
  ['a field that may be missing', object({ a: text }, ['a']), object({ a: text }), ['a: may be missing now']],
  ['a field that is always there', object({ a: text }), object({ a: text }, ['a']), []],
  ['another type', object({ a: text }), object({ a: { type: 'integer' } }), ['a: is integer, was string']],
  ['a wider number', { type: 'integer' }, { type: 'number' }, ['is number, was integer']],
  ['anything', text, {}, ['is anything, was string']],
  ['a word more', some('a'), some('a', 'b'), []],
  ['text in place of words', some('a'), text, ['is no longer one of ["a"]']],
  ['null too', text, either(text, NULL), ['"null" may be answered now (is null, was string)']],
  ['what it is besides', object({}), { ...object({}), allOf: [object({ id: text })] }, []],
  ['never null', either(text, NULL), text, []],
  ['a longer text', { ...text, maxLength: 1 }, { ...text, maxLength: 2 }, []],
  [
    'another format',
    { ...text, format: 'date-time' },
    { ...text, format: 'date' },
    ['format is "date", was "date-time"'],
  ],
  ['items', { type: 'array', items: text }, { type: 'array', items: NULL }, ['[]: is null, was string']],
  ['fields deep inside', object({ a: object({ b: text }) }), object({ a: object({}) }), ['a.b: is gone']],
])('of what is answered: %s', (_, before, after, breaks) => {
  const own = breakingChanges(documentOf({ answer: before }), documentOf({ answer: after }));
  expect(own).toEqual(breaks.map((each) => `POST /v1/tasks: answer 201 ${each}`));
});

test('schemas are compared by what is under their names, also those that hold themselves', () => {
  const answer = { $ref: '#/components/schemas/Tree' };
  const tree = (field: string) => ({ Tree: object({ [field]: text, children: { type: 'array', items: answer } }) });
  const before = documentOf({ answer, schemas: tree('id') });
  expect(breakingChanges(before, documentOf({ answer, schemas: tree('id') }))).toEqual([]);
  expect(breakingChanges(before, documentOf({ answer, schemas: tree('key') }))).toEqual([
    'POST /v1/tasks: answer 201 id: is gone',
  ]);
});

test.each([
  ['0.1.0', '0.1.1', false],
  ['0.1.3', '0.2.0', true],
  ['0.9.0', '1.0.0', true],
  ['1.2.0', '1.3.0', false],
  ['1.2.0', '2.0.0', true],
  ['2.0.0', '1.9.0', false],
])('from %s to %s a break is allowed: %s', (before, after, allowed) => {
  expect(mayBreak(before, after)).toBe(allowed);
});
