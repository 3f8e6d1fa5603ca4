import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { finishedRun, startProxy } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { apiServer } from './api-server.ts';
import { cliDatabase, runBin } from './cli.ts';
import { BIN, mcpSession } from './mcp-client.ts';

const { db, env } = await cliDatabase();
const { DATABASE_URL } = env;
const run = await finishedRun(db, 'nightly');
const api = await apiServer(db, 'assistant');

/** The command, spoken to line by line. */
function rawSession(servers: Record<string, string>) {
  const child = spawn(process.execPath, [BIN, 'mcp'], {
    env: { XDG_CONFIG_HOME: '/nowhere', ...servers },
    stdio: 'pipe',
  });
  const lines: string[] = [];
  const waiting = new Map<number, (message: unknown) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    const message: { id?: number } = JSON.parse(line);
    waiting.get(message.id ?? -1)?.(message);
  });
  const stderr = text(child.stderr);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (method: string, params: object = {}) => {
    id += 1;
    const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return answer;
  };
  const greet = (protocolVersion: string) =>
    ask('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
  return { child, lines, stderr, ended, send, ask, greet };
}

test.each(['2024-11-05', '2025-06-18'])(
  'a client of the revision %s is answered, in nothing but JSON-RPC',
  async (revision) => {
    const { child, lines, ended, send, ask, greet } = rawSession({ DATABASE_URL });
    expect(await greet(revision)).toMatchObject({ result: { protocolVersion: revision } });
    send({ method: 'notifications/initialized' });
    const call = { name: 'get_run', arguments: { run } };
    expect(await ask('tools/call', call)).toMatchObject({ result: { structuredContent: { id: run } } });
    child.stdin.write('this is no JSON\n');
    expect(await ask('ping')).toMatchObject({ result: {} });
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => '2.0'));
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, as asked for', async (signal) => {
  const { child, ended, greet, stderr } = rawSession({ DATABASE_URL });
  await greet('2025-06-18');
  child.kill(signal);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(await stderr).toMatch(
    /^mcp: on standard input and output; only reads; asks the database that DATABASE_URL names\n$/,
  );
});

test('a client that hangs up in the middle of a call leaves nothing behind', async () => {
  const proxy = await startProxy(api.url);
  const { child, ended, greet, send } = rawSession({
    ESCAPEMENT_URL: proxy.url,
    ESCAPEMENT_TOKEN: api.token,
  });
  await greet('2025-06-18');
  proxy.hole();
  send({ id: 99, method: 'tools/call', params: { name: 'list_tasks' } });
  child.stdout.destroy();
  child.stdin.end();
  expect(await ended).toMatchObject({ code: 0 });
});

test('a server that does not answer is told to whoever asks, and asked again at the next call', async () => {
  const proxy = await startProxy(api.url);
  const { call } = await mcpSession({
    env: { ESCAPEMENT_URL: proxy.url, ESCAPEMENT_TOKEN: api.token },
  });
  proxy.reset();
  expect((await call('get_run', { run })).result).toMatchObject({ error: { code: 'api_unreachable' } });
  proxy.pass();
  expect((await call('get_run', { run })).result).toMatchObject({ id: run });
});

test('a database that does not answer is told without its password, and without a stack', async () => {
  const { call } = await mcpSession({ env: { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/none' } });
  const answered = await call('list_tasks');
  expect(answered).toMatchObject({ isError: true, result: { error: { code: 'database_unreachable' } } });
  expect(answered.text).not.toMatch(/hunter2|\n\s+at /);
  // What needs no server needs none.
  expect((await call('explain_schedule', { expression: '@daily' })).isError).toBe(false);
});

test('without a server it does not start, and says what to set', async () => {
  const ran = await runBin(['mcp'], { env: { XDG_CONFIG_HOME: '/nowhere' } });
  expect(ran).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('no database is named') });
  expect(await runBin(['mcp'], { env: { ESCAPEMENT_URL: api.url, XDG_CONFIG_HOME: '/nowhere' } })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('no token is given'),
  });
});
