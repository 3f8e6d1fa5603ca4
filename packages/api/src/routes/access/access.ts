import { EXTRA_RIGHTS, ROLES } from '@escapement/core/rights';
import {
  disableUser as disable,
  enableUser as enable,
  grantUser as grant,
  MAX_PASSWORD,
  MIN_PASSWORD,
  createToken as makeToken,
  createUser as makeUser,
  deleteUser as removeUser,
  revokeToken as revoke,
  setPassword,
  TOKEN_LIFE_MS,
} from '@escapement/operations';
import { listTokens as tokens, listUsers as users } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { at, reasonIn } from '../../schemas/values.ts';

const granted = {
  role: z.enum(ROLES),
  rights: z.array(z.enum(EXTRA_RIGHTS)).default([]).meta({ description: 'Beside those of the role.' }),
  scope: z
    .string()
    .max(1000)
    .optional()
    .meta({ description: 'Only on tasks with these labels: `team=shop`. Default: on everything.' }),
};
const kept = { role: z.enum(ROLES), rights: z.array(z.enum(EXTRA_RIGHTS)), scope: z.string().nullable() };
const name = z.string().min(1).max(200);
/** Its length is judged by the act: what is wrong with a value is told with the value. */
const password = z.string().meta({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD });
const shows = { right: 'access', on: () => null, audit: null } as const;
const actions = { right: 'access', on: 'action' } as const;

export const listTokens = route({
  ...shows,
  id: 'listTokens',
  method: 'GET',
  path: '/v1/tokens',
  tag: 'access',
  summary: 'All tokens, without what lets anybody in.',
  answer: z
    .object({
      items: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          ...kept,
          createdAt: at,
          createdBy: z.string(),
          expiresAt: at.nullable(),
          lastUsedAt: at.nullable(),
          revokedAt: at.nullable(),
        }),
      ),
    })
    .meta({ id: 'Tokens' }),
  handle: async ({ db }) => ({ items: await tokens(db) }),
});

export const createToken = route({
  ...actions,
  id: 'createToken',
  method: 'POST',
  path: '/v1/tokens',
  tag: 'access',
  summary: 'Make a token. It is told in this answer and never again.',
  audit: 'create',
  body: z.strictObject({
    reason: reasonIn,
    name,
    ...granted,
    lifeMs: z
      .number()
      .positive()
      .nullable()
      .default(TOKEN_LIFE_MS)
      .meta({ description: 'How long it lives, at most ten years; null: for ever. Default: 90 days.' }),
  }),
  status: 201,
  answer: z.object({ id: z.string(), token: z.string(), expiresAt: at.nullable() }).meta({ id: 'TokenMade' }),
  handle: async ({ db, by, body: { reason, ...asked } }) => await makeToken(db, asked, by(reason)),
});

export const revokeToken = route({
  ...actions,
  id: 'revokeToken',
  method: 'DELETE',
  path: '/v1/tokens/:id',
  tag: 'access',
  summary: 'End a token at once.',
  audit: 'revoke',
  params: z.object({ id: z.string().max(40) }),
  missing: ['unknown_token'],
  query: z.strictObject({ reason: reasonIn }),
  answer: z.object({ id: z.string() }).meta({ id: 'TokenRevoked' }),
  handle: async ({ db, by, params, query }) => {
    await revoke(db, params.id, by(query.reason));
    return params;
  },
});

export const listUsers = route({
  ...shows,
  id: 'listUsers',
  method: 'GET',
  path: '/v1/users',
  tag: 'access',
  summary: 'All users.',
  answer: z
    .object({
      items: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          ...kept,
          createdAt: at,
          createdBy: z.string(),
          passwordAt: at.meta({
            description: 'Since when it is their password; of a user of an OpenID provider, since when they are known.',
          }),
          issuer: z.string().nullable().meta({ description: 'The OpenID provider that they sign in at; null: here.' }),
          disabled: z
            .enum(['by-admin', 'no-group'])
            .nullable()
            .meta({ description: 'Why they may not sign in, and have no rights; null: they may.' }),
        }),
      ),
    })
    .meta({ id: 'Users' }),
  handle: async ({ db }) => ({ items: await users(db) }),
});

export const createUser = route({
  ...actions,
  id: 'createUser',
  method: 'POST',
  path: '/v1/users',
  tag: 'access',
  summary: 'Make a user. Only a hash of the password is kept.',
  audit: 'create',
  body: z.strictObject({ reason: reasonIn, name, password, ...granted }),
  status: 201,
  answer: z.object({ name: z.string() }).meta({ id: 'UserMade' }),
  handle: async ({ db, by, body: { reason, ...asked } }) => {
    await makeUser(db, asked, by(reason));
    return { name: asked.name };
  },
});

const ofUser = { ...actions, tag: 'access', missing: ['unknown_user'] } as const;

export const changePassword = route({
  ...ofUser,
  id: 'changePassword',
  method: 'PUT',
  path: '/v1/user/password',
  summary: 'Give a user another password.',
  audit: 'set password',
  query: z.strictObject({ name }),
  body: z.strictObject({ reason: reasonIn, password }),
  answer: z.object({ name: z.string() }).meta({ id: 'PasswordChanged' }),
  handle: async ({ db, by, query, body }) => {
    await setPassword(db, query.name, body.password, by(body.reason));
    return query;
  },
});

export const grantUser = route({
  ...ofUser,
  id: 'grantUser',
  method: 'PUT',
  path: '/v1/user/grant',
  summary: 'Give a user a role, rights and a scope in place of theirs, from their next request on.',
  audit: 'grant',
  query: z.strictObject({ name }),
  body: z.strictObject({ reason: reasonIn, ...granted }),
  answer: z.object({ name: z.string() }).meta({ id: 'UserGranted' }),
  handle: async ({ db, by, query, body: { reason, ...asked } }) => {
    await grant(db, query.name, asked, by(reason));
    return query;
  },
});

const whom = {
  ...ofUser,
  method: 'POST',
  query: z.strictObject({ name }),
  body: z.strictObject({ reason: reasonIn }),
} as const;

export const disableUser = route({
  ...whom,
  id: 'disableUser',
  path: '/v1/user/disable',
  summary: 'Keep a user out until they are enabled again. Their sessions end.',
  audit: 'disable',
  answer: z.object({ name: z.string() }).meta({ id: 'UserDisabled' }),
  handle: async ({ db, by, query, body }) => {
    await disable(db, query.name, by(body.reason));
    return query;
  },
});

export const enableUser = route({
  ...whom,
  id: 'enableUser',
  path: '/v1/user/enable',
  summary: 'Let a user sign in again who was disabled.',
  audit: 'enable',
  answer: z.object({ name: z.string() }).meta({ id: 'UserEnabled' }),
  handle: async ({ db, by, query, body }) => {
    await enable(db, query.name, by(body.reason));
    return query;
  },
});

export const deleteUser = route({
  ...ofUser,
  id: 'deleteUser',
  method: 'DELETE',
  path: '/v1/user',
  summary: 'Delete a user; what they did stays in the audit.',
  audit: 'delete',
  query: z.strictObject({ name, reason: reasonIn }),
  answer: z.object({ name: z.string() }).meta({ id: 'UserDeleted' }),
  handle: async ({ db, by, query }) => {
    await removeUser(db, query.name, by(query.reason));
    return { name: query.name };
  },
});
