import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterFile } from '@escapement/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const BIN = fileURLToPath(new URL('../bin/escapement.js', import.meta.url));

/** `escapement mcp`, as a client has started it. */
export interface McpSession {
  client: Client;
  pid: number;
  /** What it has written to standard error so far. */
  stderr(): string;
  /** A call of a tool: its structured content, its first text, and whether it has failed. */
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
}

export interface Answered {
  isError: boolean;
  /** What it is in words. */
  words: string;
  /** All of the text. */
  text: string;
  result: Record<string, unknown>;
}

/** The first start after a change bundles the command, which takes a minute on a machine that is busy. */
const PATIENT = { timeout: 115_000 };

interface Options {
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The revision of the protocol. Default: that of the clients before 2026-07-28. */
  revision?: string;
}

/** Starts `escapement mcp` and shakes hands with it. Sees no server but those in `env`. */
export async function mcpSession({ args = [], env, revision }: Options): Promise<McpSession> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    env: { HOME: tmpdir(), XDG_CONFIG_HOME: '/nowhere', ...env },
    cwd: tmpdir(),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const client = new Client(
    { name: 'escapement-test', version: '1' },
    revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } },
  );
  await client.connect(transport, PATIENT);
  afterFile(() => client.close());
  return {
    client,
    pid: transport.pid ?? 0,
    stderr: () => stderr,
    async call(name, args = {}) {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args }, PATIENT);
      const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
      return {
        isError,
        words: texts[0] ?? '',
        text: texts.join('\n'),
        result: Object.fromEntries(Object.entries(structuredContent ?? {})),
      };
    },
  };
}
