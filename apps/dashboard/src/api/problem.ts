import type { components } from './generated/openapi.ts';

export type Problem = components['schemas']['Problem'];

/** The API has refused: the words are meant for users. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Nobody has answered: no network, or no server. */
export class ApiAway extends Error {
  override readonly name = 'ApiAway';

  constructor(cause: unknown) {
    super('the API does not answer', { cause });
  }
}

/** Whether trying again may help: the server, or what it needs, is away. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiAway || (error instanceof ApiProblem && error.problem.status >= 502);
}

/** Whether nobody is signed in any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.problem.status === 401;
}

/** What an answer says is wrong. A proxy before the server answers with other things than problems. */
export async function problemOf(response: Response): Promise<Problem> {
  const requestId = response.headers.get('x-request-id') ?? '';
  const { status, statusText } = response;
  const title = statusText || String(status);
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body)) return body;
  return { title, status, code: 'no_problem', detail: `the server has answered with ${title}`, requestId };
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'status' in body;
}
