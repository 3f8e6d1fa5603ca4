import type { paths } from './generated/openapi.ts';

type Segment<P> = P extends `/v1/${infer First}/${string}` ? First : P extends `/v1/${infer Only}` ? Only : never;

/** What the API is about, as the first word of its paths: `runs`, `tasks`. What a change touches is said by these. */
export type Resource = Segment<keyof paths>;

/** The key of a query: what it is about, the path, and all that it was asked with. */
export type QueryKey = readonly [Resource, string, unknown];

/** The one factory of keys: a query is known by what it asks, so that it can read nothing else. */
export function keyOf(path: string, given: unknown): QueryKey {
  const [, , resource = ''] = path.split('/');
  return [resource as Resource, path, given];
}

/** Whether a query is about one of these. */
export function isAbout(key: readonly unknown[], resources: readonly Resource[] | 'all'): boolean {
  return resources === 'all' || resources.some((resource) => resource === key[0]);
}
