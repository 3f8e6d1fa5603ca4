import { createServer } from 'node:http';

// An OpenID provider of its own: `oidc-provider`, with the pages for sign-in that it brings for development. Accounts come as messages.
const { clients, groupsInToken, clockOffsetMs, saysHost, forges } = JSON.parse(process.argv[2] ?? '{}');
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
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (forges && request.url === '/token') forge(response);
    answer(request, response);
  });
  process.send?.({ port });
});

/** The ID token is as it was, but for some bits of its signature. */
function forge(response) {
  const end = response.end.bind(response);
  response.end = (body) => {
    const { id_token: token, ...others } = JSON.parse(String(body));
    const at = token.lastIndexOf('.') + 10;
    const other = token[at] === 'A' ? 'B' : 'A';
    return end(JSON.stringify({ ...others, id_token: `${token.slice(0, at)}${other}${token.slice(at + 1)}` }));
  };
}
