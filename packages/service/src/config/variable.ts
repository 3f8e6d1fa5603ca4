import type { z } from 'zod';

/** Who reads the configuration. */
export type Role = 'scheduler' | 'worker' | 'api' | 'cli';

export interface Variable {
  /** Name in the environment. */
  env: string;
  section: Section;
  roles: readonly Role[];
  schema: z.ZodType<unknown, string>;
  /** What it does; completes docs/reference/configuration.md. */
  doc: string;
  unit?: 'ms';
  /** Text as a user would write it, for all roles or one each. */
  default?: string | Partial<Record<Role, string>>;
  /** Refused when absent; the command line asks for it only where a command needs it. */
  required?: true;
  /** Makes the value showable. */
  mask?: (value: string) => string;
}

export const SECTIONS = [
  'Servers',
  'Postgres',
  'Redis',
  'Redis for leases',
  'Working',
  'Tasks',
  'Alerts',
  'API',
  'Health',
  'Logs',
] as const;
export type Section = (typeof SECTIONS)[number];

export const ALL = ['scheduler', 'worker', 'api', 'cli'] as const;
/** The programs that run until they are told to end. */
export const APPS = ['scheduler', 'worker', 'api'] as const;
/** Those that plan and execute runs. */
export const FLEET = ['scheduler', 'worker'] as const;
/** Whoever connects to Redis. */
export const REDIS_USERS = ['scheduler', 'worker', 'cli'] as const;
/** Schedulers send messages; the command line and the API say where none would be sent. */
export const NOTIFIERS = ['scheduler', 'api', 'cli'] as const;

/** Something wrong with the configuration, and what is allowed instead. */
export interface ConfigProblem {
  variable: string;
  message: string;
  fix: string;
}
