/** What a code means to whoever meets it, in words that hold for each case; an error's own message has the value. */
export interface ErrorFacts {
  /** When it happens. */
  when: string;
  /** What to do. */
  fix: string;
  /**
   * The HTTP status that the API answers with. `404 or 422`: 404 if the request is about the thing itself, 422 if it only names it.
   * Null: the API does not answer with it; if an act throws it, only the server's log has it.
   */
  status: number | '404 or 422' | null;
  /** The exit code of the command line: wrong input, a server that cannot be used, Ctrl-C. */
  exit: 2 | 3 | 130;
}
