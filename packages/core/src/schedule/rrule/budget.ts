/** A hundred years of days: any date that comes at all comes within 40. Some 10 ms. */
const MAX_STEPS = 40_000;

/** How many steps a search, or several together, may still take. */
export interface Budget {
  steps: number;
}

export const searchBudget = (): Budget => ({ steps: MAX_STEPS });
