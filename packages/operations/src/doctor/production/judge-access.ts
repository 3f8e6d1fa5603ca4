import { counted } from '@escapement/core';
import type { ProductionReport, RolesReport } from '@escapement/store';
import { type Finding, ok, onPage, problem, warning } from '../finding.ts';
import { PAGES } from './pages.ts';

/** Who gets in: users of Postgres, TLS, tokens. What `doctor` says of roles that are set up it says itself. */
export function judgeAccess(
  { plainText, tokensEnding, tokensEndless }: ProductionReport,
  { prefix, users }: RolesReport,
): Finding[] {
  return [
    ...onPage(PAGES.roles, ...judgeNoRoles(prefix, users)),
    ...onPage(PAGES.postgres, judgePlainText(plainText)),
    ...onPage(PAGES.rights, ...judgeTokens(tokensEnding, tokensEndless)),
  ];
}

function judgeNoRoles(prefix: string | null, users: RolesReport['users']): Finding[] {
  if (prefix !== null) return [];
  const names = [...new Set(users.map(({ user }) => user))].join(', ');
  const superuser = users.some((each) => each.superuser);
  const said = `programs are connected as ${names}${superuser ? ', a superuser,' : ''} and have no roles of their own: each may do everything`;
  const fix = '`escapement migrate --roles`, and a user for each program';
  return [superuser ? problem('Roles', said, fix) : warning('Roles', said, fix)];
}

function judgePlainText(plainText: number): Finding {
  if (plainText === 0) return ok('TLS', 'no session of ours that can be seen from here is without it over a network');
  return warning(
    'TLS',
    `${counted(plainText, 'session')} of ours came over a network without it`,
    'add sslmode=verify-full to DATABASE_URL',
  );
}

function judgeTokens(ending: number, endless: number): Finding[] {
  const fix = 'make new ones and revoke these: `escapement tokens list`';
  return [
    ...(ending > 0
      ? [warning('Tokens', `${counted(ending, 'token')} in use ${ending === 1 ? 'ends' : 'end'} within 14 days`, fix)]
      : []),
    ...(endless > 0
      ? [warning('Tokens', `${counted(endless, 'token')} in use ${endless === 1 ? 'never ends' : 'never end'}`, fix)]
      : []),
    ...(ending + endless === 0 ? [ok('Tokens', 'none ends within 14 days, and none never')] : []),
  ];
}
