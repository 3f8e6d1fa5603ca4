export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; read nowhere else. */
export function processEnvironment(): Environment {
  return process.env;
}

/** The value of a variable; an empty one counts as absent. */
export function givenValue(env: Environment, name: string): string | undefined {
  const given = env[name];
  return given === undefined || given.trim() === '' ? undefined : given;
}

/**
 * Calls `work` with these variables in the environment of this process: for libraries that look nowhere else, after `takeEnvironment`
 * or with a settings file. `work` must not wait.
 */
export function withVariables<Result>(
  env: Environment,
  isWanted: (name: string) => boolean,
  work: () => Result,
): Result {
  const given = Object.entries(env).filter(([name, value]) => value !== undefined && isWanted(name));
  const lacking = given.filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of given) process.env[name] = value;
  try {
    return work();
  } finally {
    for (const [name] of lacking) delete process.env[name];
  }
}
