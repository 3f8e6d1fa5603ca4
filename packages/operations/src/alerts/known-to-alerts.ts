import { nearest, type RuledHeartbeat } from '@escapement/core';
import type { TaskForAlert } from '@escapement/store';

/** What rules and routes may name. */
export interface KnownToAlerts {
  tasks: readonly TaskForAlert[];
  heartbeats: readonly RuledHeartbeat[];
  pools: readonly string[];
}

/** Says that there is no such thing, with the nearest; nothing where there is. */
export function notThere(what: string, name: string, names: readonly string[]): string[] {
  if (names.includes(name)) return [];
  const near = nearest(name, names);
  return [`there is no ${what} ${name}${near ? `; did you mean ${near}?` : ''}`];
}
