import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from '@escapement/core';
import { afterFile } from '@escapement/testkit';
import type { Call } from './evidence.ts';

export interface Target {
  url: string;
  /** Shell attempts report into this file. */
  file: string;
  /** What was reported so far, in order of the starts. */
  calls(): Promise<Call[]>;
}

/** The service that the load's tasks work on: it notes who called when, and takes as long as it is told. */
export async function startTarget(file: string): Promise<Target> {
  const calls: Call[] = [];
  const server = createServer((request, response) => void answer(request, response, calls));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the target has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    file,
    calls: async () => [...calls, ...(await shellCalls(file))].sort((a, b) => a.startMs - b.startMs),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, calls: Call[]): void {
  const header = (name: string) => String(request.headers[name] ?? '');
  const query = new URL(request.url ?? '/', 'http://target').searchParams;
  const call: Call = {
    runId: header('escapement-run-id'),
    task: header('escapement-task'),
    fence: Number(header('escapement-fence')),
    attempt: Number(header('escapement-attempt')),
    startMs: nowMs(),
    endMs: null,
    outcome: 'cut',
  };
  calls.push(call);
  request.resume();
  const timer = setTimeout(
    () => {
      call.outcome = call.attempt <= Number(query.get('failFirst')) ? 'refused' : 'ok';
      call.endMs = nowMs();
      response.writeHead(call.outcome === 'ok' ? 200 : 500).end();
    },
    Number(query.get('ms')),
  );
  response.once('close', () => {
    clearTimeout(timer);
    call.endMs ??= nowMs();
  });
}

async function shellCalls(file: string): Promise<Call[]> {
  const calls = new Map<string, Call>();
  for (const line of (await readFile(file, 'utf8')).split('\n').filter(Boolean)) {
    const [what, runId = '', task = '', fence, attempt, atMs] = line.split(' ');
    const id = `${runId} ${fence}`;
    const call = calls.get(id);
    if (what === 'start')
      calls.set(id, {
        runId,
        task,
        fence: Number(fence),
        attempt: Number(attempt),
        startMs: Number(atMs),
        endMs: null,
        outcome: 'cut',
      });
    else if (call) Object.assign(call, { endMs: Number(atMs), outcome: what === 'ok' ? 'ok' : 'cut' });
  }
  return [...calls.values()];
}

function nowMs(): number {
  return systemClock.now().getTime();
}
