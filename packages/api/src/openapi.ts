import { z } from 'zod';
import { problem } from './http/problem.ts';
import { type Route, TAGS } from './http/route.ts';
import { SESSION_COOKIE } from './http/session-cookie.ts';

type Json = { [key: string]: unknown };

/**
 * Of the API, not of the program: its first number grows where something breaks (while that is 0: its second), its second where something
 * is added. A test compares the document with the last released one.
 */
export const API_VERSION = '0.1.0';

/** The API as a document of OpenAPI 3.1, written from the routes. */
export function openApiDocument(routes: readonly Route[]): Json {
  const components = createComponents();
  const paths: { [path: string]: Json } = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Escapement',
      version: API_VERSION,
      description: `The HTTP API of Escapement. Instants are ISO 8601 in UTC, durations milliseconds, ids text.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token as `escapement tokens create` prints it.' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'As `POST /v1/session` sets it.' },
      },
    },
  };
}

interface Components {
  schemas: Json;
  /** A schema by its place among the components, or written out. */
  schemaOf(schema: z.ZodType): Json;
}

function createComponents(): Components {
  const schemas: Json = {};
  return {
    schemas,
    schemaOf(schema) {
      const { $schema, $defs, ...written } = z.toJSONSchema(schema, {
        target: 'draft-2020-12',
        io: 'input',
        unrepresentable: 'any',
      }) as Json & { $defs?: Json };
      for (const [name, each] of Object.entries($defs ?? {}))
        if (!isAnyJson(name, each)) schemas[name] = relocated(each);
      // One that has a name is written as a reference to it.
      return relocated(written) as Json;
    },
  };
}

/** Whether it is zod's own name and definition of any JSON value, which a document need not spell out. */
function isAnyJson(name: string, definition: unknown): boolean {
  if (!name.startsWith('__')) return false;
  const kinds = z.object({ anyOf: z.array(z.looseObject({ type: z.string() })) }).parse(definition);
  if (kinds.anyOf.map(({ type }) => type).join() === 'string,number,boolean,null,array,object') return true;
  throw new Error(`the schema ${name} needs a name: .meta({ id })`);
}

/** References to definitions of the schema itself, as references to components. */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && String(value.$ref).startsWith('#/$defs/__')) {
    const { $ref, ...others } = value;
    return relocated(others);
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'id' || typeof value !== 'object' || !('type' in value && 'properties' in value))
      .map(([name, each]) => [
        name,
        name === '$ref' && typeof each === 'string'
          ? each.replace('#/$defs/', '#/components/schemas/')
          : relocated(each),
      ]),
  );
}

function operationOf(route: Route, components: Components): Json {
  const { id, tag, summary, description, right, audit, status } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(route.anyone ? { security: [] } : {}),
    'x-right': right,
    'x-audit': audit,
    parameters: [
      ...parametersOf(route.params, 'path', components),
      ...parametersOf(route.query, 'query', components),
      ...headersOf(route),
    ],
    ...bodyOf(route, components),
    responses: {
      [status]: { description: 'Done.', content: contentOf(route, components) },
      default: {
        description: 'Not done: why, and what to do.',
        content: { 'application/problem+json': { schema: components.schemaOf(problem) } },
      },
    },
  };
}

function parametersOf(schema: z.ZodObject | null, place: 'path' | 'query', { schemaOf }: Components): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, each]) => {
    const { description, ...written } = schemaOf(each as z.ZodType);
    const required = place === 'path' || !(each as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: written };
  });
}

function headersOf({ headers = {} }: Route): Json[] {
  return Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
}

function bodyOf({ body }: Route, { schemaOf }: Components): Json {
  if (!body) return {};
  return {
    requestBody: {
      required: !body.safeParse({}).success,
      content: { 'application/json': { schema: schemaOf(body) } },
    },
  };
}

function contentOf({ answer }: Route, { schemaOf }: Components): Json {
  if (typeof answer === 'string') return { [answer]: { schema: { type: 'string' } } };
  return { 'application/json': { schema: schemaOf(answer) } };
}
