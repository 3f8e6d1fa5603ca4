import { z } from 'zod';
import { nearest } from './errors.ts';

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  additionalProperties?: SchemaNode | boolean;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  allOf?: SchemaNode[];
}

/**
 * The known key nearest to a mistyped one, at a path of what a schema takes. Undefined too where the key is spelt right
 * and another choice of the object has it, as `maxWaiting` under overlap `skip`.
 */
export function nearestKeyIn(schema: z.ZodType, path: readonly PropertyKey[], key: string): string | undefined {
  let nodes: SchemaNode[] = variantsOf(nodeOf(schema));
  for (const step of path) nodes = nodes.flatMap((node) => stepInto(node, step)).flatMap(variantsOf);
  const known = nodes.flatMap((node) => Object.keys(node.properties ?? {}));
  return known.includes(key) ? undefined : nearest(key, known);
}

/** Takes some ms to make, and is asked for each unknown key. */
const made = new WeakMap<z.ZodType, SchemaNode>();

function nodeOf(schema: z.ZodType): SchemaNode {
  const node = made.get(schema) ?? (z.toJSONSchema(schema, { io: 'input' }) as SchemaNode);
  made.set(schema, node);
  return node;
}

function variantsOf(node: SchemaNode): SchemaNode[] {
  const variants = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...variants.flatMap(variantsOf)];
}

function stepInto(node: SchemaNode, step: PropertyKey): SchemaNode[] {
  if (typeof step === 'number') return node.items ? [node.items] : [];
  const named = node.properties?.[String(step)];
  if (named) return [named];
  return typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [];
}
