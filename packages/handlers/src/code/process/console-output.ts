import { StringDecoder } from 'node:string_decoder';

/**
 * Hands what the code of this process writes to standard output and error (`console.log`) to `take`, in order with its
 * other output and under the same cap. What is written past these streams (by programs it starts, or by Node as it
 * crashes) still comes out of the process.
 */
export function divertConsole(take: (text: string) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    const decoder = new StringDecoder('utf8');
    const write = (chunk: Buffer | string, _encoding: string, written: () => void) => {
      take(typeof chunk === 'string' ? chunk : decoder.write(chunk));
      written();
    };
    Object.defineProperty(stream, '_write', { value: write });
    // Else several chunks at once would take the way around.
    Object.defineProperty(stream, '_writev', { value: undefined });
  }
}
