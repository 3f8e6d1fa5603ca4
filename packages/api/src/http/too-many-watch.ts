import { ProblemError } from './problem.ts';

/** One that watches costs something all the time: there is a limit for a process. */
export function tooManyWatch(detail: string): ProblemError {
  const fix = 'try again, or ask by GET now and then';
  return new ProblemError({ code: 'too_many_watch', detail, fix }, { 'retry-after': '10' });
}
