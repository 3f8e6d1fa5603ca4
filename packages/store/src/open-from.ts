/** Where look-ups by due time begin, as Postgres reads instants. */
export interface OpenFrom {
  /** No run that is due before was open when somebody last looked. */
  runs: string;
  /** No task was to be planned before. */
  tasks: string;
}

/** At the first there is. */
export const FROM_THE_START: Readonly<OpenFrom> = { runs: '-infinity', tasks: '-infinity' };
