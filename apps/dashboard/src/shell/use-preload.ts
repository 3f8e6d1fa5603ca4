import { useEffect } from 'react';
import { useIdle } from './use-idle.ts';

/** Loads parts once the browser has nothing else to do: they are there when they are needed, even where the server is not. */
export function usePreload(...parts: readonly { preload: () => void }[]): void {
  const isIdle = useIdle();
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are the same each time.
  useEffect(() => {
    if (isIdle) for (const part of parts) part.preload();
  }, [isIdle]);
}
