import { setTimeout as wait } from 'node:timers/promises';
import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

export interface PrintedDocument {
  kind: 'invoice' | 'delivery-note';
  number: number;
}

/** What a test replaces. */
export interface Printer {
  print(document: PrintedDocument, signal: AbortSignal): Promise<void>;
}

export const printDocument = (printer: Printer) =>
  defineTask({
    name: 'print-document',
    description: 'One printer for invoices, one for delivery notes: side by side, but never two of a kind.',
    payload: z.object({ kind: z.enum(['invoice', 'delivery-note']), number: z.int().min(1) }),
    // What must not run side by side has the same key.
    key: 'print:{{payload.kind}}',
    // In the order in which they were asked for; none is lost because the printer is busy.
    overlap: 'wait-all',
    timeoutMs: 60_000,
    async run(document, ctx) {
      await printer.print(document, ctx.signal);
      return { printed: `${document.kind} ${document.number}` };
    },
  });

export default printDocument({ print: (_document, signal) => wait(500, undefined, { signal }) });
