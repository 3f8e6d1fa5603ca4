/** Something about a schedule that is allowed, and perhaps not what was meant. */
export interface ScheduleLint {
  /** Stable, for programs. */
  code:
    | 'never_again'
    | 'either_day_field'
    | 'not_the_nth_weekday'
    | 'short_months'
    | 'needless_plus'
    | 'offset_of_every_day'
    | 'every_second'
    | 'uneven_step'
    | 'step_too_large'
    | 'clock_gap'
    | 'clock_overlap'
    | 'jitter_cut';
  message: string;
  /** What to write instead, where there is something. */
  fix?: string;
  /** The change of the clock that a `clock_...` lint is about: the first instant with the new offset. */
  at?: Date;
}
