import type { RouteOf } from '@escapement/api/calls';
import { z } from 'zod';

/** Arguments of a tool: their schemas, and their types before these have read them. */
export interface Fields<Args> {
  fields: Record<string, z.ZodType>;
  /** Never there: it has the type alone. */
  readonly types?: (args: Args) => void;
}

/** Arguments of a tool's own. */
export function own<Shape extends Record<string, z.ZodType>>(shape: Shape): Fields<z.input<z.ZodObject<Shape>>> {
  return { fields: shape };
}

/** All of both. */
export function both<One, Other>(one: Fields<One>, other: Fields<Other>): Fields<One & Other> {
  return { fields: { ...one.fields, ...other.fields } };
}

type Part<Given, Name extends 'query' | 'body'> = Given extends { [Key in Name]?: infer Values }
  ? NonNullable<Values>
  : never;

/** Arguments that a route takes in its query. */
export function inQuery<Given, Name extends keyof Part<Given, 'query'> & string>(
  route: RouteOf<Given, unknown>,
  names: readonly Name[],
): Fields<Pick<Part<Given, 'query'>, Name>> {
  return { fields: picked(route.query, names) };
}

/** Arguments that a route takes in its body. */
export function inBody<Given, Name extends keyof Part<Given, 'body'> & string>(
  route: RouteOf<Given, unknown>,
  names: readonly Name[],
): Fields<Pick<Part<Given, 'body'>, Name>> {
  return { fields: picked(route.body instanceof z.ZodObject ? route.body : null, names) };
}

function picked(schema: z.ZodObject | null, names: readonly string[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    names.map((name) => {
      const field = schema?.shape[name];
      if (!(field instanceof z.ZodType)) throw new Error(`the route takes no ${name}`);
      return [name, field];
    }),
  );
}
