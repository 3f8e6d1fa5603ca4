import { z } from 'zod';

/** What a page needs to know of a JSON Schema. */
export interface Schema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  format?: string | undefined;
  description?: string | undefined;
  const?: unknown;
  enum?: unknown[] | undefined;
  default?: unknown;
  example?: unknown;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: Schema | boolean | undefined;
  items?: Schema | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  pattern?: string | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    ...{
      $ref: z.string().optional(),
      type: z.union([z.string(), z.array(z.string())]).optional(),
      format: z.string().optional(),
    },
    ...{ description: z.string().optional(), const: z.unknown().optional(), enum: z.array(z.unknown()).optional() },
    ...{ example: z.unknown().optional() },
    ...{ default: z.unknown().optional(), properties: z.record(z.string(), schema).optional() },
    ...{ required: z.array(z.string()).optional(), additionalProperties: z.union([z.boolean(), schema]).optional() },
    ...{ items: schema.optional(), anyOf: z.array(schema).optional(), oneOf: z.array(schema).optional() },
    ...{ minimum: z.number().optional(), maximum: z.number().optional(), pattern: z.string().optional() },
    ...{ minLength: z.number().optional(), maxLength: z.number().optional() },
    ...{ minItems: z.number().optional(), maxItems: z.number().optional() },
  }),
);

const content = z.record(z.string(), z.object({ schema }));

const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  'x-right': z.string().nullable(),
  'x-audit': z.string().nullable(),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(['path', 'query', 'header']),
      required: z.boolean(),
      description: z.string().optional(),
      schema,
    }),
  ),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content })),
});

export type Operation = z.output<typeof operation>;

/** The parts of an OpenAPI document that a page shows. */
export const shownDocument = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});

export type ShownDocument = z.output<typeof shownDocument>;

/** An operation with where it is. */
export interface PlacedOperation extends Operation {
  method: string;
  path: string;
}

export function operationsOf({ paths }: ShownDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ ...each, method: method.toUpperCase(), path })),
  );
}

/** The name of the component that a schema refers to. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.replace('#/components/schemas/', '');
}
