import { words } from '../words/index.ts';

/** Every shortcut, in one place. A space: one key after the other. `mod` is Ctrl, or Command on a Mac. */
export const SHORTCUTS = {
  palette: { keys: 'mod+k', words: words.keys.palette },
  search: { keys: '/', words: words.keys.search },
  goNow: { keys: 'g n', words: words.keys.goNow },
  goTasks: { keys: 'g t', words: words.keys.goTasks },
  goRuns: { keys: 'g r', words: words.keys.goRuns },
  goForecast: { keys: 'g f', words: words.keys.goForecast },
  goErrors: { keys: 'g e', words: words.keys.goErrors },
  goAlerts: { keys: 'g a', words: words.keys.goAlerts },
  goFleet: { keys: 'g w', words: words.keys.goFleet },
  goAccess: { keys: 'g u', words: words.keys.goAccess },
  goAbout: { keys: 'g i', words: words.keys.goAbout },
  goAlerting: { keys: 'g s', words: words.keys.goAlerting },
  goRecovery: { keys: 'g v', words: words.keys.goRecovery },
  goBackfills: { keys: 'g b', words: words.keys.goBackfills },
  goCalendars: { keys: 'g c', words: words.keys.goCalendars },
  goCrontabs: { keys: 'g o', words: words.keys.goCrontabs },
  goLists: { keys: 'g l', words: words.keys.goLists },
  next: { keys: 'j', words: words.keys.next },
  previous: { keys: 'k', words: words.keys.previous },
  select: { keys: 'x', words: words.keys.select },
  open: { keys: 'Enter', words: words.keys.open },
  actions: { keys: '.', words: words.keys.actions },
  undo: { keys: 'u', words: words.keys.undo },
  help: { keys: '?', words: words.keys.help },
} as const satisfies Record<string, { keys: string; words: string }>;

export type ShortcutName = keyof typeof SHORTCUTS;

/** A second key counts for so long after the first. */
export const SEQUENCE_MS = 1200;

/** What a key is called here: `mod+k`, `?`, `Enter`. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.altKey) return `alt+${key}`;
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
}

/** Which shortcut a key ends, after the one before it, among those that somebody handles. */
export function shortcutOf(
  key: string,
  before: string | null,
  handled: ReadonlySet<ShortcutName>,
): { name: ShortcutName } | { begins: boolean } {
  const names = [...handled];
  const sequence = names.find((name) => before !== null && SHORTCUTS[name].keys === `${before} ${key}`);
  const found = sequence ?? names.find((name) => SHORTCUTS[name].keys === key);
  if (found) return { name: found };
  return { begins: names.some((name) => SHORTCUTS[name].keys.startsWith(`${key} `)) };
}
