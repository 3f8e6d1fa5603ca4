import { createServer } from 'node:http';

// An OpenID provider of its own: `oidc-provider`, with the pages for sign-in that it brings for development. Accounts come as messages.
const { clients, groupsInToken, clockOffsetMs, saysHost } = JSON.parse(process.argv[2] ?? '{}');
const realNow = Date.now;
Date.now = () => realNow() + clockOffsetMs;
const { Provider } = await import('oidc-provider');

/** @type {Record<string, Record<string, unknown>>} */
let accounts = {};
process.on('message', (given) => {
  accounts = given;
  process.send?.({ known: Object.keys(given) });
});
process.on('disconnect', () => process.exit(0));

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const provider = new Provider(`http://${saysHost ?? '127.0.0.1'}:${port}`, {
    clients: clients.map((client) => ({ ...client, response_types: ['code'], grant_types: ['authorization_code'] })),
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    conformIdTokenClaims: !groupsInToken,
    pkce: { required: () => true },
    ttl: { AuthorizationCode: 60, AccessToken: 300, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
    cookies: { keys: ['of this process alone'] },
    findAccount: (_, sub) => accounts[sub] && { accountId: sub, claims: async () => ({ sub, ...accounts[sub] }) },
  });
  server.on('request', provider.callback());
  process.send?.({ port });
});
