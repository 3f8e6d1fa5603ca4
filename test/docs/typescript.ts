import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Block } from '../../scripts/docs/blocks.ts';
import { bin, root, run } from '../../scripts/process.mjs';

/** Within the repository, where packages are found, and ignored by git. */
const FOLDER = 'dist/docs-blocks';

/** What readers have beside a block: modules of their own that it imports. */
const MODULES: Readonly<Record<string, string>> = {
  'mail.ts': 'export declare function sendNews(list: string): Promise<void>;',
  'orders.ts': 'export declare function syncOrders(): Promise<void>;',
  'tasks/mail.ts': "export { sendNews } from '../mail.ts';",
  'tasks/report.ts': `import { defineTask } from '@escapement/sdk';
    export default defineTask({ name: 'report', async run(payload: { rows: number }) { return payload; } });`,
  'tasks/tasks/send-invoice.ts': `import { defineTask } from '@escapement/sdk';
    export default defineTask({ name: 'send-invoice', async run({ invoice }: { invoice: number }) { return { pages: invoice }; } });`,
  'tasks/escapement.d.ts': "export type { paths } from '../../../apps/dashboard/src/api/generated/openapi.ts';",
};

/** What stands above a block in the file of which it shows a part: by words of the block. */
const ABOVE: readonly { of: string; text: string }[] = [
  { of: 'queue.removeJobScheduler', text: "import type { Queue } from 'bullmq'; declare const queue: Queue;" },
  {
    of: 'cron.schedule(',
    text: `import { syncOrders } from '../orders.ts';
      declare const cron: { schedule(expression: string, run: () => unknown, options: object): void };`,
  },
  {
    of: 'agenda.define',
    text: `import { sendNews } from '../mail.ts';
      declare const agenda: { define(name: string, options: object, run: (job: { attrs: { data: { list: string } } }) => unknown): void;
        every(expression: string, name: string, data: object, options: object): Promise<void> };`,
  },
  { of: 'answer.status === 404', text: 'declare const answer: { status: number }; declare const orders: unknown[];' },
  {
    of: 'ctx.state.cursor = page.next',
    text: `import { defineTask, every, MINUTE } from '@escapement/sdk'; import { z } from 'zod';
      declare function fetchOrders(after: string): Promise<{ next: string }>;`,
  },
  {
    of: "createClient({ url: 'https://escapement.example'",
    text: "import { createClient } from '@escapement/client';",
  },
  {
    of: 'triggerIn(connection',
    text: `import { createClient } from '@escapement/client'; import type { Pool } from 'pg'; import sendInvoice from './tasks/send-invoice.ts';
      declare const pool: Pool; declare const escapement: ReturnType<typeof createClient>;`,
  },
  {
    of: 'ctx.fanOut(downloadImage',
    text: `import { defineTask } from '@escapement/sdk';
      const downloadImage = defineTask({ name: 'download-image', async run({ url }: { url: string }) { return { bytes: url.length }; } });
      declare function imageUrls(): AsyncIterable<{ url: string }>; declare function append(index: number, output: unknown): Promise<void>;`,
  },
  {
    of: "ctx.take('files')",
    text: "import { defineTask } from '@escapement/sdk'; declare function handle(file: unknown): Promise<void>;",
  },
  {
    of: 'ctx.chain(report',
    text: "import { defineTask } from '@escapement/sdk'; declare function importAll(): Promise<number>;",
  },
  { of: 'openapi-fetch', text: 'declare const token: string;' },
  {
    of: "new Queue('default+shell'",
    text: "import { Queue, type ConnectionOptions } from 'bullmq'; declare const connection: ConnectionOptions;",
  },
  { of: 'rate: { limit: 10', text: "import { defineTask } from '@escapement/sdk'; interface Mail { to: string }" },
  { of: 'pauseAfterFailures: 3', text: "import { cron, defineTask } from '@escapement/sdk';" },
  {
    of: 'nextBatch(500',
    text: `declare function nextBatch(count: number, options: { signal: AbortSignal }): Promise<string[]>;
      declare function send(batch: readonly string[], options: { signal: AbortSignal }): Promise<void>;`,
  },
  { of: '{ durationMs: 5 * MINUTE, signal }', text: 'declare const signal: AbortSignal;' },
];

const CONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    noEmit: true,
    declaration: false,
    declarationMap: false,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
    // A part of a file may return nothing to anybody.
    allowUnreachableCode: true,
    lib: ['es2023', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  include: ['**/*.ts'],
};

/** What the compiler says of the blocks, each a module of a project with the real packages. Empty: nothing. */
export async function complaintsAbout(blocks: readonly Block[]): Promise<string> {
  const folder = path.join(root, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  write('tsconfig.json', JSON.stringify(CONFIG));
  for (const [name, text] of Object.entries(MODULES)) write(name, text);
  for (const block of blocks) write(`tasks/${fileNameOf(block)}`, moduleOf(block));
  const { output } = await run(bin('tsc'), ['-p', FOLDER], { capture: true });
  return output;
}

/** `docs-reference-tasks.md-99.ts`: what the compiler says leads to the document. */
function fileNameOf({ file, line }: Block): string {
  return `${file.replaceAll('/', '-')}-${line}.ts`;
}

function moduleOf({ text }: Block): string {
  const above = ABOVE.filter(({ of }) => text.includes(of)).map((each) => each.text);
  // What is left out of an example.
  const whole = text.replaceAll('{ ... }', '{}').replaceAll(', ... }', ', async run() {} }');
  return [...above, whole, 'export {};'].join('\n');
}
