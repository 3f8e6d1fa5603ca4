import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { SHORTCUTS } from '../keyboard/shortcuts.ts';
import { useShortcuts } from '../keyboard/use-shortcuts.ts';
import { words } from '../words/index.ts';
import { forgetUndo, takeBack, type Undo, useUndo } from './undo.ts';
import styles from './undo-line.module.css';

const { shell: text } = words;
const SHOWN_MS = 30_000;

/** What was done last, and a button that takes it back. It goes after a while, but not while one is at it. */
export function UndoLine() {
  const undo = useUndo();
  const line = useRef<HTMLDivElement>(null);
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (undo === null || isHeld) return;
    const timer = setTimeout(forgetUndo, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [undo, isHeld]);
  const onUndo = (one: Undo) => {
    // Its button goes.
    if (line.current?.contains(document.activeElement)) line.current.focus();
    void takeBack(one);
  };
  const canUndo = undo?.back ? undo : null;
  useShortcuts(canUndo ? { undo: () => onUndo(canUndo) } : {});
  return (
    <div
      ref={line}
      role="status"
      tabIndex={-1}
      className={undo ? styles.line : undefined}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      {undo ? <span>{undo.done}</span> : null}
      {canUndo ? (
        <Button
          variant="default"
          size="compact-sm"
          title={`${words.keys.undo} (${SHORTCUTS.undo.keys})`}
          onClick={() => onUndo(canUndo)}
        >
          {text.undo}
        </Button>
      ) : null}
    </div>
  );
}
