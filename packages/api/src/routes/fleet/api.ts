import { hostname } from 'node:os';
import { z } from 'zod';
import { route } from '../../http/route.ts';

export const getApi = route({
  id: 'getApi',
  method: 'GET',
  path: '/v1/api',
  tag: 'fleet',
  summary: 'The server that answers this request, of several perhaps.',
  right: 'read',
  on: () => null,
  audit: null,
  answer: z
    .object({
      host: z.string(),
      appVersion: z.string().nullable().meta({ description: 'Of the program; null: nobody has said.' }),
    })
    .meta({ id: 'ApiServer' }),
  handle: async ({ appVersion = null }) => ({ host: hostname(), appVersion }),
});
