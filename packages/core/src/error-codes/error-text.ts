/** What a code means to whoever meets it, in words that hold for each case; an error's own message has the value. */
export interface ErrorText {
  /** When it happens. */
  when: string;
  /** What to do. */
  fix: string;
}
