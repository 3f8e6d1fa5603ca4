/** The places of a pool in one process. */
export interface Places {
  readonly taken: number;
  /** Takes one in any case. */
  take(): void;
  /** Takes one if one is free, or becomes free in time. */
  takeWithin(ms: number): Promise<boolean>;
  /** Frees one; who has waited the longest has it. */
  free(): void;
  /** Who waits gets none. */
  refuse(): void;
}

export function createPlaces(limit: number): Places {
  const waiting: ((got: boolean) => void)[] = [];
  let taken = 0;

  function wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (got: boolean): void => {
        clearTimeout(timer);
        resolve(got);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(answer), 1);
        resolve(false);
      }, ms);
      waiting.push(answer);
    });
  }

  return {
    get taken() {
      return taken;
    },
    take() {
      taken += 1;
    },
    async takeWithin(ms) {
      if (taken >= limit) return await wait(ms);
      taken += 1;
      return true;
    },
    free() {
      const next = taken <= limit ? waiting.shift() : undefined;
      if (next) next(true);
      else taken -= 1;
    },
    refuse() {
      for (const answer of waiting.splice(0)) answer(false);
    },
  };
}
