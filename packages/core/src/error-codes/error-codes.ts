import { ACCESS_ERRORS } from './access.ts';
import { ALERTING_ERRORS } from './alerting.ts';
import { API_ERRORS } from './api.ts';
import { COMMAND_LINE_ERRORS } from './command-line.ts';
import { DEFINITIONS_ERRORS } from './definitions.ts';
import type { ErrorFacts } from './error-facts.ts';
import { HANDLERS_ERRORS } from './handlers.ts';
import { IMPORTS_ERRORS } from './imports.ts';
import { LOCAL_SERVERS_ERRORS } from './local-servers.ts';
import { PROGRAMS_ERRORS } from './programs.ts';
import { PROJECTS_ERRORS } from './projects.ts';
import { RUNS_ERRORS } from './runs.ts';
import { SCHEDULES_ERRORS } from './schedules.ts';

/** What each error means, and what programs make of it. */
export const ERRORS = {
  ...ACCESS_ERRORS,
  ...ALERTING_ERRORS,
  ...API_ERRORS,
  ...COMMAND_LINE_ERRORS,
  ...DEFINITIONS_ERRORS,
  ...HANDLERS_ERRORS,
  ...IMPORTS_ERRORS,
  ...LOCAL_SERVERS_ERRORS,
  ...PROGRAMS_ERRORS,
  ...PROJECTS_ERRORS,
  ...RUNS_ERRORS,
  ...SCHEDULES_ERRORS,
};

/** Codes of errors. They stay the same in later versions. A new one needs its facts in this folder. */
export type ErrorCode = keyof typeof ERRORS;

/** Codes that the API answers with one status, whatever the request is about. */
export type AnsweredCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]['status'] extends number ? Code : never;
}[ErrorCode];

declare const reported: unique symbol;

/** A code that another process has told, perhaps one of a later version. */
export type ReportedCode = string & { readonly [reported]: true };

/** Takes the code of an error that was not made here. */
export function reportedCode(code: string): ReportedCode {
  return code as ReportedCode;
}

/** The facts of a code; undefined: another version has it. */
export function errorFacts(code: ErrorCode | ReportedCode): ErrorFacts | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
}

/** What errors are about, as docs/reference/errors.md lists them. */
export const ERROR_SECTIONS: readonly { title: string; codes: Readonly<Record<string, ErrorFacts>> }[] = [
  { title: 'Tasks, pools and lists', codes: DEFINITIONS_ERRORS },
  { title: 'Schedules and calendars', codes: SCHEDULES_ERRORS },
  { title: 'Runs', codes: RUNS_ERRORS },
  { title: 'Handlers and code of tasks', codes: HANDLERS_ERRORS },
  { title: 'The command line', codes: COMMAND_LINE_ERRORS },
  { title: 'Projects: init, dev and build', codes: PROJECTS_ERRORS },
  { title: 'Crontabs and other schedulers', codes: IMPORTS_ERRORS },
  { title: 'Requests to the API', codes: API_ERRORS },
  { title: 'Who may do what', codes: ACCESS_ERRORS },
  { title: 'Alerts and monitors', codes: ALERTING_ERRORS },
  { title: 'Programs, their configuration, Postgres and Redis', codes: PROGRAMS_ERRORS },
  { title: 'Local servers of dev and test', codes: LOCAL_SERVERS_ERRORS },
];
