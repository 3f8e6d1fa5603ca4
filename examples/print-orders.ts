import { defineTask, every, SECOND } from '@escapement/sdk';
import { z } from 'zod';
import printDocument from './print-document.ts';

export default defineTask({
  name: 'print-orders',
  description: 'Has an invoice and a delivery note printed for each new order.',
  schedule: every(30 * SECOND),
  state: z.object({ lastOrder: z.int() }).default({ lastOrder: 0 }),
  run(_payload, ctx) {
    const orders = [1, 2, 3].map((step) => ctx.state.lastOrder + step);
    for (const number of orders) {
      // Started when this run has succeeded, in the same write as its state: no order is printed twice or forgotten.
      ctx.chain(printDocument, { kind: 'invoice', number });
      ctx.chain(printDocument, { kind: 'delivery-note', number });
    }
    ctx.state.lastOrder += orders.length;
    return { orders };
  },
});
