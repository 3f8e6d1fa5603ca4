import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { words } from '../words/index.ts';

/** Asks before what is unsaved is left. The result lets one go: it is saved. */
export function useUnsaved(isUnsaved: boolean, question: string = words.edit.leave): () => void {
  const isSaved = useRef(false);
  const holds = () => isUnsaved && !isSaved.current;
  useBlocker({
    shouldBlockFn: () => holds() && !window.confirm(question),
    enableBeforeUnload: holds,
  });
  return () => {
    isSaved.current = true;
  };
}
