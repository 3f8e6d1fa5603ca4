import { INSTANT_EXAMPLE } from '../schemas/example.ts';
import { nameOf, type PlacedOperation, type Schema } from './document.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** A value that a schema takes, with as little in it as may be. */
export function exampleOf(schema: Schema, schemas: Schemas, name = ''): unknown {
  const of = nameOf(schema);
  if (of !== undefined) return exampleOf(schemas[of] ?? {}, schemas, name);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(choice, schemas, name);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((field) => [field, exampleOf(schema.properties?.[field] ?? {}, schemas, field)]),
      );
    case 'array':
      return (schema.minItems ?? 0) > 0 && schema.items ? [exampleOf(schema.items, schemas, name)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textOf(schema, name);
  }
}

const NAMED: Readonly<Record<string, string>> = {
  expression: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  command: 'true',
  url: 'https://example.com/hook',
  password: 'correct horse battery staple',
  query: 'state:failed since:-24h',
};

function textOf({ format, minLength = 0 }: Schema, name: string): string {
  if (format === 'date-time') return INSTANT_EXAMPLE;
  if (format === 'uuid') return '0199d3a1-7b6a-7c52-9d5e-3f1c2b4a6d80';
  return (NAMED[name] ?? (name === '' ? 'text' : name)).padEnd(minLength, '-');
}

/** A command line that asks for an operation; `$URL` and `$T` as the head of the page says. */
export function curlOf(operation: PlacedOperation, schemas: Schemas): string {
  const { method, path, parameters, requestBody, responses } = operation;
  const query = parameters.filter((each) => each.in === 'query' && each.required);
  const body = requestBody?.content['application/json']?.schema;
  const streams = Object.values(responses).some(({ content }) => 'text/event-stream' in content);
  const words = [
    'curl',
    ...(streams ? ['-N'] : []),
    ...(operation.security?.length === 0 ? [] : ['-H "$T"']),
    ...(query.length > 0 ? ['-G'] : []),
    ...(method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...(needsVersion(operation) ? [`-H 'If-Match: "1"'`] : []),
    ...(body ? [`--json ${quoted(JSON.stringify(exampleOf(body, schemas)))}`] : []),
    `"$URL${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}"`,
    ...query.map(
      ({ name, schema }) => `--data-urlencode ${quoted(`${name}=${String(exampleOf(schema, schemas, name))}`)}`,
    ),
  ];
  return words.join(' ');
}

function needsVersion({ method, path }: PlacedOperation): boolean {
  return method === 'PUT' && path === '/v1/tasks/{id}';
}

/** One word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
