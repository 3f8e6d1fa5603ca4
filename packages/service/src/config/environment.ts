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
