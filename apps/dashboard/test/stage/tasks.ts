import { cron, defineTask, every, MINUTE, SECOND, Skip } from '@escapement/sdk';

class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly status: number;

  constructor(status: number) {
    super(`the shop has answered ${status}`);
    this.status = status;
  }
}

const nightlyReport = defineTask({
  name: 'hourly-report',
  description: 'Sends what was sold in the last hour.',
  labels: { team: 'shop' },
  schedule: cron('5 * * * *', 'Europe/Berlin'),
  run(_payload, { log, run }) {
    log.info('collected', { rows: 1204, from: run.scheduledFor });
    log.warn('two rows have no price', { rows: [17, 402] });
    log.info('sent', { to: 'sales@shop.example' });
    return { rows: 1204, withoutPrice: 2, regions: { eu: 811, us: 393 } };
  },
});

const importOrders = defineTask({
  name: 'import-orders',
  description: 'Takes over the orders of the shop.',
  labels: { team: 'shop' },
  schedule: every(20 * MINUTE),
  retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: SECOND } },
  run(_payload, { log, run }) {
    log.info('asking the shop', { attempt: run.attempt });
    const third = Math.floor(run.scheduledFor.getTime() / (20 * MINUTE)) % 3;
    if (third === 0) {
      log.error('the shop has refused', { status: 503 });
      throw new UpstreamError(503);
    }
    return { orders: 12 };
  },
});

const syncCustomers = defineTask({
  name: 'sync-customers',
  labels: { team: 'crm' },
  schedule: every(30 * MINUTE),
  run(_payload, { run }) {
    if (Math.floor(run.scheduledFor.getTime() / (30 * MINUTE)) % 2 === 0) throw new Skip('nothing has changed');
    return { customers: 3 };
  },
});

const legacyFeed = defineTask({ name: 'legacy-feed', schedule: every(15 * MINUTE), run: () => undefined });

/** Runs until it is told to stop, and says how far it is. */
const reindexSearch = defineTask({
  name: 'reindex-search',
  description: 'Builds the index of the search anew.',
  async run(_payload, { log, progress, signal }) {
    for (let line = 1; line <= 400; line++) log.info('indexed', { document: line });
    progress(310, 1000, 'documents');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
});

const sendInvoices = defineTask({
  name: 'send-invoices',
  description: 'Sends the invoices of ten minutes. Customers see them.',
  schedule: every(10 * MINUTE),
  priority: 5,
  catchUp: 'ask',
  run: () => ({ invoices: 3 }),
});

/** Many, and only until the outage is over: later ones would be in the way. */
const sumUp = (until: Date) =>
  defineTask({
    name: 'sum-up',
    schedule: every(20 * SECOND, { endAt: until.toISOString() }),
    catchUp: { policy: 'ask', max: 200 },
    run: () => ({ sums: 12 }),
  });

/** After an outage that ended then. */
export const tasksAfter = (outage: Date) => [
  ...[nightlyReport, importOrders, syncCustomers, legacyFeed, reindexSearch],
  ...[sendInvoices, sumUp(outage)],
];
