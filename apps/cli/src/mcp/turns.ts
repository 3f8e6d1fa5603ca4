/** Carries out at most so many things at once; others wait for their turn, in order. */
export function createTurns(most: number): <Result>(action: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async (action) => {
    if (busy < most) busy += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await action();
    } finally {
      // Whoever waits takes the place over.
      const next = waiting.shift();
      if (next) next();
      else busy -= 1;
    }
  };
}
