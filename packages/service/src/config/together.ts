import { API_VARIABLES } from './api-variables.ts';
import { databaseProblems } from './database-problems.ts';
import { egressProblems } from './egress-problems.ts';
import { type Environment, givenValue } from './environment.ts';
import { redisProblems } from './redis-problems.ts';
import { REDIS_VARIABLES } from './redis-variables.ts';
import { secretProblems } from './secret-problems.ts';
import type { ConfigProblem, Role, Variable } from './variable.ts';
import { VARIABLES } from './variables.ts';

const R = REDIS_VARIABLES;
const A = API_VARIABLES;

/** Variables that are of no use without another one. */
const COMPANIONS: readonly (readonly [Variable, Variable, string])[] = [
  [VARIABLES.smtpUrl, VARIABLES.mailFrom, 'mail needs a sender'],
  [VARIABLES.notifyEmail, VARIABLES.smtpUrl, 'mail needs a server'],
  [R.redisSentinelUsername, R.redisSentinels, 'it is theirs'],
  [R.redisSentinelPassword, R.redisSentinels, 'it is theirs'],
  [R.redisTlsCert, R.redisTlsKey, 'a certificate is of no use without its key'],
  [R.redisTlsKey, R.redisTlsCert, 'a key is of no use without its certificate'],
  [R.leaseRedisSentinelUsername, R.leaseRedisSentinels, 'it is theirs'],
  [R.leaseRedisSentinelPassword, R.leaseRedisSentinels, 'it is theirs'],
  [R.leaseRedisTlsCert, R.leaseRedisTlsKey, 'a certificate is of no use without its key'],
  [R.leaseRedisTlsKey, R.leaseRedisTlsCert, 'a key is of no use without its certificate'],
  [R.leaseRedisSentinels, R.leaseRedisUrl, 'it names the primary'],
  [A.oidcIssuer, A.apiUrl, 'the provider sends browsers back there'],
  [A.oidcIssuer, A.oidcClientId, 'the provider asks who asks'],
  [A.oidcIssuer, A.oidcClientSecret, 'the provider asks who asks'],
  [A.oidcIssuer, A.oidcGroups, 'else nobody who signs in might do anything'],
  [A.oidcClientId, A.oidcIssuer, 'it is of a provider'],
  [A.oidcClientSecret, A.oidcIssuer, 'it is of a provider'],
  [A.oidcGroups, A.oidcIssuer, 'they are those of a provider'],
];

/** Problems of values that are right by themselves but not together. */
export function checkTogether(env: Environment, role: Role): ConfigProblem[] {
  return [
    ...missingCompanions(env, role),
    ...egressProblems(env),
    ...(role === 'worker' ? secretProblems(env) : []),
    ...databaseProblems(env),
    ...(role === 'api' ? [] : [...redisProblems(env, 'REDIS'), ...redisProblems(env, 'REDIS_LEASE')]),
  ];
}

function missingCompanions(env: Environment, role: Role): ConfigProblem[] {
  const lacks = (one: Variable, other: Variable) =>
    one.roles.includes(role) && givenValue(env, one.env) && !givenValue(env, other.env);
  return COMPANIONS.filter(([one, other]) => lacks(one, other)).map(([one, other, reason]) => ({
    variable: other.env,
    message: `${one.env} is set and ${other.env} is not`,
    fix: `${reason}; set ${other.env} too`,
  }));
}
