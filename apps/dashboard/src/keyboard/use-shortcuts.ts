import { useEffect, useRef } from 'react';
import { nowMs } from '../clock.ts';
import { useSettings } from '../settings/settings.ts';
import { keyName, SEQUENCE_MS, SHORTCUTS, type ShortcutName, shortcutOf } from './shortcuts.ts';

type Handlers = Partial<Record<ShortcutName, (event: KeyboardEvent) => void>>;

interface Layer {
  handlers: Handlers;
}

/** Those of a screen lie above those of the shell: the last that handles a shortcut has it. */
const layers: Layer[] = [];
let before: { key: string; at: number } | null = null;
let singleKeys = true;

/** Handles shortcuts for as long as the component is there. `isShell`: a screen that handles one has it first. */
export function useShortcuts(handlers: Handlers, { isShell = false } = {}): void {
  const layer = useRef<Layer>({ handlers });
  const settings = useSettings();
  useEffect(() => {
    singleKeys = settings.singleKeys;
  }, [settings.singleKeys]);
  useEffect(() => {
    layer.current.handlers = handlers;
  });
  useEffect(() => {
    const own = layer.current;
    if (layers.length === 0) document.addEventListener('keydown', onKey);
    if (isShell) layers.unshift(own);
    else layers.push(own);
    return () => {
      layers.splice(layers.indexOf(own), 1);
      if (layers.length === 0) document.removeEventListener('keydown', onKey);
    };
  }, [isShell]);
}

/** Those that something on the page handles. */
export function handledShortcuts(): ReadonlySet<ShortcutName> {
  return new Set(layers.flatMap(({ handlers }) => Object.keys(handlers) as ShortcutName[]));
}

function onKey(event: KeyboardEvent): void {
  const key = keyName(event);
  const isSingle = !key.startsWith('mod+');
  if (event.defaultPrevented || (isSingle && (!singleKeys || isTyping(event.target) || isInDialog()))) return;
  const recent = before !== null && nowMs() - before.at < SEQUENCE_MS ? before.key : null;
  before = null;
  const found = shortcutOf(key, recent, handledShortcuts());
  if ('begins' in found) {
    if (found.begins) before = { key, at: nowMs() };
    return;
  }
  // Enter on a link, a button or a choice is the browser's.
  if (SHORTCUTS[found.name].keys === 'Enter' && isControl(event.target)) return;
  const handler = layers.findLast(({ handlers }) => handlers[found.name])?.handlers[found.name];
  event.preventDefault();
  handler?.(event);
}

/** A choice takes no letters. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio)$/.test(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, input, summary, [role="menuitem"]') !== null;
}

function isInDialog(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"], [role="menu"]') !== null;
}
