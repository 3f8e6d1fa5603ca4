import { EXTRA_RIGHTS, RIGHTS_OF_ROLE, ROLES } from '@escapement/core/rights';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { principalOut } from '../schemas/run.ts';

const grant = z.object({
  role: z.enum(ROLES),
  rights: z.array(z.enum(EXTRA_RIGHTS)).meta({ description: 'Beside those of the role.' }),
  allRights: z.array(z.string()).meta({ description: 'All that it may do.' }),
  scope: z
    .string()
    .nullable()
    .meta({ description: 'The labels of the tasks that it is for; null: all, and all else.' }),
});

export const getMe = route({
  id: 'getMe',
  method: 'GET',
  path: '/v1/me',
  tag: 'me',
  summary: 'Who asks, and what they may do.',
  right: null,
  on: 'action',
  audit: null,
  answer: z.object({ principal: principalOut, namespace: z.string(), grants: z.array(grant) }).meta({ id: 'Me' }),
  handle: async ({ by, db: { namespace } }) => {
    const { principal, grants } = by();
    const kept = grants === 'all' ? [] : grants;
    return {
      principal,
      namespace,
      grants: kept.map(({ role, rights, selector }) => ({
        ...{ role, rights },
        allRights: [...new Set([...RIGHTS_OF_ROLE[role], ...rights])],
        scope: selector?.text ?? null,
      })),
    };
  },
});
