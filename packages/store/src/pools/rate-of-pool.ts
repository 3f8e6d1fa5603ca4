/**
 * The row's pool has a rate. `of`: an alias with `namespace` and `pool`. Postgres reads the few pools with a rate once for
 * a statement, not once for each row.
 */
export const isInRatedPool = (of: string): string =>
  `((${of}.namespace, ${of}.pool) IN (SELECT slowed.namespace, slowed.name FROM pool slowed WHERE slowed.rate_limit IS NOT NULL))`;
