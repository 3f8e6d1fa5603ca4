import { type Schema, type Schemas, schemaBreaks } from './schema-fits.ts';

/** A document of OpenAPI 3.1, as far as it is compared. */
export interface OpenApi {
  info: { version: string };
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: Schema } };
}

interface Operation {
  operationId: string;
  /** None: as the whole document. Empty: anybody may ask. */
  security?: unknown[];
  'x-right'?: string | null;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: { [status: string]: { content: Content } };
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}

type Content = { [mediaType: string]: { schema: Schema } };

interface Documents {
  before: Schemas;
  after: Schemas;
}

/**
 * What of a newer document breaks programs that were written for an older one, in words, each with its route. New routes, fields of
 * answers, words in answers and optional inputs break nobody.
 */
export function breakingChanges(before: OpenApi, after: OpenApi): string[] {
  const documents = { before: schemasOf(before), after: schemasOf(after) };
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const now = after.paths[path]?.[method];
      const breaks = now ? operationBreaks(old, now, documents) : ['is gone'];
      return breaks.map((each) => `${method.toUpperCase()} ${path}: ${each}`);
    }),
  );
}

/**
 * Whether a version may break what another one promised, by Semantic Versioning: its first number is greater; while that is 0, its second.
 */
export function mayBreak(before: string, after: string): boolean {
  const [[oldFirst, oldSecond], [first, second]] = [numbersOf(before), numbersOf(after)];
  if (first !== oldFirst) return first > oldFirst;
  return first === 0 && second > oldSecond;
}

function numbersOf(version: string): [number, number] {
  const [, first, second] = /^(\d+)\.(\d+)\.\d+$/.exec(version) ?? [];
  if (first === undefined || second === undefined) throw new Error(`${version} is no version of three numbers`);
  return [Number(first), Number(second)];
}

function schemasOf({ components }: OpenApi): Schemas {
  const named = Object.entries(components.schemas);
  return Object.fromEntries(named.map(([name, schema]) => [`#/components/schemas/${name}`, schema]));
}

function operationBreaks(old: Operation, now: Operation, documents: Documents): string[] {
  const { operationId } = old;
  return [
    ...(operationId === now.operationId ? [] : [`is called ${now.operationId}, was ${operationId}`]),
    ...(isOpen(old) && !isOpen(now) ? ['asks who it is; anybody could ask'] : []),
    ...rightBreaks(old, now),
    ...parameterBreaks(old.parameters, now.parameters, documents),
    ...bodyBreaks(old, now, documents),
    ...answerBreaks(old, now, documents),
  ];
}

function isOpen({ security }: Operation): boolean {
  return security?.length === 0;
}

function rightBreaks({ 'x-right': old = null }: Operation, { 'x-right': now = null }: Operation): string[] {
  return now === null || old === now ? [] : [`takes the right ${now}, took ${old ?? 'none'}`];
}

function parameterBreaks(olds: Parameter[], nows: Parameter[], documents: Documents): string[] {
  const kept = olds.flatMap((old) => {
    const name = `${old.in} parameter ${old.name}`;
    const now = nows.find((each) => isSame(each, old));
    if (!now) return [`${name} is gone`];
    const breaks = schemaBreaks(old.schema, now.schema, { ...documents, of: 'request' });
    return [...(now.required && !old.required ? ['is required now'] : []), ...breaks].map((each) => `${name} ${each}`);
  });
  const asked = nows.filter((now) => now.required && !olds.some((old) => isSame(old, now)));
  return [...kept, ...asked.map((now) => `${now.in} parameter ${now.name} is new, and required`)];
}

function isSame(one: Parameter, other: Parameter): boolean {
  return one.name === other.name && one.in === other.in;
}

function bodyBreaks({ requestBody: old }: Operation, { requestBody: now }: Operation, documents: Documents): string[] {
  if (!old) return now?.required ? ['a body is required now'] : [];
  if (!now) return ['no body is taken any more'];
  const required = now.required && !old.required ? ['a body is required now'] : [];
  return [
    ...required,
    ...contentBreaks(old.content, now.content, { ...documents, of: 'request' }).map((each) => `body ${each}`),
  ];
}

function answerBreaks({ responses: olds }: Operation, { responses: nows }: Operation, documents: Documents): string[] {
  return Object.entries(olds).flatMap(([status, old]) => {
    const now = nows[status];
    if (!now) return [`does not answer ${status} any more, but ${Object.keys(nows).join(', ')}`];
    return contentBreaks(old.content, now.content, { ...documents, of: 'answer' }).map(
      (each) => `answer ${status} ${each}`,
    );
  });
}

function contentBreaks(olds: Content, nows: Content, comparison: Documents & { of: 'request' | 'answer' }): string[] {
  return Object.entries(olds).flatMap(([mediaType, old]) => {
    const now = nows[mediaType];
    return now ? schemaBreaks(old.schema, now.schema, comparison) : [`is no ${mediaType} any more`];
  });
}
