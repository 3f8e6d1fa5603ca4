import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

export default defineTask({
  name: 'import-report',
  description: 'Says what an import has brought. Follows each nightly-import that succeeded.',
  payload: z.object({ day: z.iso.date(), orders: z.int(), rejected: z.int() }),
  run({ day, orders, rejected }, ctx) {
    const subject = `Orders of ${day}: ${orders} imported, ${rejected} rejected`;
    ctx.log.info('a report would go out', { subject, importedBy: ctx.run.causeRunId });
    return { subject };
  },
});
