import type { TestApi } from './api.ts';
import type { TestProvider } from './oidc/provider.ts';

/** What a request has to ask about. */
export interface Fixture extends TestApi {
  /** A task with a schedule. */
  name: string;
  taskId: string;
  /** A run of it that has not begun. */
  openRun: string;
  /** A run that has failed, of another task. */
  endedRun: string;
  /** Where users may sign in beside the API. Undefined: nowhere. */
  provider?: TestProvider;
}

export interface Example {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  streams?: boolean;
  /** Of the session in which it can be carried out, in place of a token. */
  cookie?: string;
}
