import type { AnswerOf } from '@escapement/api/calls';
import { exportK8s } from '@escapement/api/routes';
import type { LabelSelector } from '@escapement/core/rights';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { counted } from '../output/wording.ts';

interface ExportOptions {
  image: string;
  namespace?: string;
  source?: string;
  label?: LabelSelector;
}

export function addExportK8s(group: Command, context: Context): void {
  group
    .command('k8s')
    .description('write tasks as CronJobs of Kubernetes, in YAML; what differs becomes a comment')
    .requiredOption('--image <image>', 'the image that the commands run in')
    .option('--namespace <name>', 'of objects whose task has none in its name, as shop/report has')
    .option('--source <source>', 'only tasks of one source: code, k8s:NAME, ...')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .action((options: ExportOptions) => exportTasks(options, context));
}

type Exported = AnswerOf<typeof exportK8s>;

async function exportTasks({ image, namespace, source, label }: ExportOptions, context: Context): Promise<void> {
  const { output } = context;
  const query = { source, label: label?.text, image, namespace };
  const { manifests, left } = await withFleet(context, (fleet) => fleet.call(exportK8s, { query }));
  if (output.format === 'json') return output.result({ manifests, left }, () => []);
  // Loads the writer of YAML, which other commands can do without.
  const { stringify } = await import('../output/yaml.ts');
  const documents = manifests.map((each) => `${commentsOf(each)}${stringify(each.manifest, { lineWidth: 0 })}`);
  output.text([...documents, ...leftComments(left)].join('---\n'));
  if (left.length > 0)
    output.note(`${counted(left.length, 'task')} cannot be written as a CronJob: see the comments at its end`);
}

function commentsOf({ task, differs }: Exported['manifests'][number]): string {
  return [`task ${task} of Escapement`, ...differs.map((each) => `differs: ${each}`)].map(comment).join('');
}

function leftComments(left: Exported['left']): string[] {
  const lines = left.map(({ name, reason }) => comment(`${name} is not here: ${reason}`));
  return lines.length > 0 ? [lines.join('')] : [];
}

/** One line, whatever is in the text. */
function comment(text: string): string {
  return `# ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`;
}
