import { useEffect, useState } from 'react';

/** It comes in any case after so long. */
const LATEST_MS = 2000;

/** Whether the browser has had nothing to do yet: what the first screen does not need waits for that. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    // Safari has none.
    if (!('requestIdleCallback' in window)) return setIdle(true);
    const asked = requestIdleCallback(() => setIdle(true), { timeout: LATEST_MS });
    return () => cancelIdleCallback(asked);
  }, []);
  return isIdle;
}
