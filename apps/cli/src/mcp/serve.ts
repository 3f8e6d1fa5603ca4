import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { apiServer } from '../access/api-server.ts';
import { type Context, configOf } from '../context.ts';
import { requireDatabaseUrl } from '../servers.ts';
import { createMcpServer, type McpOptions } from './server.ts';

/**
 * Speaks the Model Context Protocol on standard input and output until the client hangs up, or a signal comes. Throws what names no server:
 * `no_database_named`, `no_api_token`, `bad_token`. One that does not answer is told to whoever calls a tool.
 */
export async function serveMcp(options: McpOptions, context: Context): Promise<void> {
  const config = configOf(context);
  const server = apiServer(config, context.env);
  if (!server) requireDatabaseUrl(config, context.cwd);
  const where = server ? `the API at ${server.url}` : `the database that ${config.from} names`;
  const mode = options.allowWrite ? 'reads and changes' : 'only reads';
  const ended = untilEnd(context);
  const handle = serveStdio(() => createMcpServer(options, context), {
    onerror: ({ message }) => context.output.note(`mcp: ${message}`),
  });
  context.output.note(`mcp: on standard input and output; ${mode}; asks ${where}`);
  await ended;
  await handle.close();
}

/** Standard input ends, or is closed; Ctrl-C; the signal by which clients end what they have started. */
function untilEnd({ interruptible }: Context): Promise<void> {
  const interrupted = interruptible();
  return new Promise((resolve) => {
    const end = () => resolve();
    interrupted.addEventListener('abort', end);
    process.once('SIGTERM', end);
    process.stdin.once('end', end).once('close', end);
  });
}
