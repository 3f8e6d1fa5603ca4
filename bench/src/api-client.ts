import { Agent, request } from 'node:http';

/** What is asked of the API. */
export interface ApiRequest {
  /** Shown in the table. */
  kind: string;
  path: string;
  method?: 'GET' | 'POST';
}

export interface ApiClient {
  /** Resolves with the text of the answer; rejects where it has not the status of a success. */
  send(asked: ApiRequest): Promise<string>;
  close(): void;
}

/** As many connections as are needed, kept open, as a browser or a proxy keeps them. */
export function apiClient(url: string, token: string): ApiClient {
  const agent = new Agent({ keepAlive: true });
  return {
    send: ({ path, method = 'GET' }) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const asked = request(`${url}${path}`, { agent, method, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            if (answer.statusCode === 200 || answer.statusCode === 201) resolve(text);
            else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`));
          });
        });
        asked.on('error', reject);
        asked.end(method === 'POST' ? '{}' : undefined);
      }),
    close: () => agent.destroy(),
  };
}
