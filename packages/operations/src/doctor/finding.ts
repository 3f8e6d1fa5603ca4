/** What doctor has to say about one thing. */
export interface Finding {
  subject: string;
  /** `problem`: something does not work or may lose data. `warning`: worth knowing. */
  level: 'ok' | 'warning' | 'problem';
  detail: string;
  /** What to do about it. */
  fix?: string;
  /** The page of the documents that says more, with its heading: `docs/how-to/run-a-fleet.md#start-it`. */
  page?: string;
}

export const ok = (subject: string, detail: string): Finding => ({ subject, level: 'ok', detail });

export const warning = (subject: string, detail: string, fix: string): Finding => ({
  subject,
  level: 'warning',
  detail,
  fix,
});

export const problem = (subject: string, detail: string, fix: string): Finding => ({
  subject,
  level: 'problem',
  detail,
  fix,
});

/** Findings of one check, with the page that says more of it. */
export const onPage = (page: string, ...findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => ({ ...finding, page }));
