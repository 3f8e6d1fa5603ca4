import { MIN_SECRET_LENGTH } from '@escapement/core/mask';
import { type Environment, givenValue } from './environment.ts';
import { secretsFrom } from './secrets.ts';
import type { ConfigProblem } from './variable.ts';
import { VARIABLES } from './variables.ts';

/** A secret that is too short to be masked would show in every log that has those letters. */
export function secretProblems(env: Environment): ConfigProblem[] {
  const { secrets } = VARIABLES;
  const { data } = secrets.schema.safeParse(givenValue(env, secrets.env) ?? secrets.default);
  if (!data) return [];
  return [...secretsFrom(env, data)]
    .filter(([, value]) => value.trim().length < MIN_SECRET_LENGTH)
    .map(([name, value]) => ({
      variable: name,
      message: `${name} has ${value.trim().length} characters, too few to be masked in logs`,
      fix: `a secret has at least ${MIN_SECRET_LENGTH}; what is no secret gets another name, and that into ESCAPEMENT_TASK_ENV`,
    }));
}
