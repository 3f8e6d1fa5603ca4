import { z } from 'zod';
import { nearest } from './errors.ts';

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  additionalProperties?: SchemaNode | boolean;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  allOf?: SchemaNode[];
  /** One that has a name stands among the definitions of the whole. */
  $ref?: string;
  $defs?: Record<string, SchemaNode>;
}

/**
 * The known key nearest to a mistyped one, at a path of what a schema takes. Undefined too where the key is spelt right
 * and another choice of the object has it, as `maxWaiting` under overlap `skip`.
 */
export function nearestKeyIn(schema: z.ZodType, path: readonly PropertyKey[], key: string): string | undefined {
  const known = knownKeysIn(schema, path);
  return known.includes(key) ? undefined : nearest(key, known);
}

/** The keys that a schema knows at a path, each once. */
export function knownKeysIn(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const root = nodeOf(schema);
  let nodes: SchemaNode[] = variantsOf(root, root);
  for (const step of path)
    nodes = nodes.flatMap((node) => stepInto(node, step)).flatMap((node) => variantsOf(node, root));
  return [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** Takes some ms to make, and is asked for each unknown key. */
const made = new WeakMap<z.ZodType, SchemaNode>();

function nodeOf(schema: z.ZodType): SchemaNode {
  const node = made.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode);
  made.set(schema, node);
  return node;
}

function variantsOf(node: SchemaNode, root: SchemaNode): SchemaNode[] {
  const named = root.$defs?.[node.$ref?.replace('#/$defs/', '') ?? ''];
  const variants = [...(named ? [named] : []), ...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...variants.flatMap((variant) => variantsOf(variant, root))];
}

function stepInto(node: SchemaNode, step: PropertyKey): SchemaNode[] {
  if (typeof step === 'number') return node.items ? [node.items] : [];
  const named = node.properties?.[String(step)];
  if (named) return [named];
  return typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [];
}
