import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';

/** What a browser remembers of how somebody likes to see things. Never who they are. */
const settings = z.object({
  /** In whose zone instants are shown. */
  zone: z.catch(z.enum(['schedule', 'mine', 'utc']), 'schedule'),
  density: z.catch(z.enum(['comfortable', 'compact']), 'comfortable'),
  /** Shortcuts of a single key can be turned off (WCAG 2.1.4). */
  singleKeys: z.catch(z.boolean(), true),
});

export type Settings = z.output<typeof settings>;
export type ZoneChoice = Settings['zone'];

const NAME = 'escapement-settings';
const listeners = new Set<() => void>();
let current = read();

function read(): Settings {
  try {
    return settings.parse(JSON.parse(localStorage.getItem(NAME) ?? '{}'));
  } catch {
    return settings.parse({});
  }
}

export function changeSettings(changed: Partial<Settings>): void {
  current = { ...current, ...changed };
  try {
    localStorage.setItem(NAME, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still shows it until it is closed.
  }
  for (const listener of listeners) listener();
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
