import type { AnswerOf } from '@escapement/api/calls';
import { getRunTree } from '@escapement/api/routes';
import { NEXT_ORDINAL, tookMs } from '@escapement/core';
import { unknownRun } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { outboxLine } from '../output/outbox.ts';
import { inUtc, span } from '../output/wording.ts';

export function addRunTree(runs: Command, context: Context): void {
  runs
    .command('tree')
    .description('show what caused a run, and all runs that follow from it')
    .argument('<id>', 'id of any run of it')
    .action((id: string) => showTree(id, context));
}

type RunTree = AnswerOf<typeof getRunTree>;
type TreeRun = RunTree['runs'][number];
type OpenOutboxEntry = RunTree['followersOutbox'][number];

/** A run with what it has caused. */
interface Node {
  run: TreeRun;
  children: Node[];
  followersOutbox: OpenOutboxEntry[];
  /** Children that are not listed, by state. */
  more: Record<string, number>;
}

async function showTree(given: string, context: Context): Promise<void> {
  const found = await withFleet(context, (fleet) => fleet.call(getRunTree, { params: { id: given } }));
  const root = toNodes(found);
  if (!root) throw unknownRun(given);
  const id = found.runs.find((run) => run.id.startsWith(given.toLowerCase()))?.id ?? given;
  context.output.result(toJson(root), () => [lineOf(root.run, id), ...linesBelow(root, id, '')]);
}

function toNodes({ runs, followersOutbox, more }: RunTree): Node | undefined {
  const nodes = new Map<string, Node>();
  for (const run of runs) {
    const left = more.find(({ runId }) => runId === run.id)?.counts ?? {};
    const node: Node = {
      run,
      children: [],
      followersOutbox: followersOutbox.filter(({ runId }) => runId === run.id),
      more: left,
    };
    nodes.set(run.id, node);
    nodes.get(run.causeRunId ?? run.rerunOf ?? '')?.children.push(node);
  }
  const [first] = runs;
  return first && nodes.get(first.id);
}

function toJson({ run, children, ...rest }: Node): object {
  return { ...run, ...rest, children: children.map(toJson) };
}

function linesBelow({ children, followersOutbox, more }: Node, asked: string, indent: string): string[] {
  const counts = Object.entries(more).map(([state, count]) => `${count} ${state}`);
  const below: ((indent: string) => string[])[] = [
    ...children.map((child) => (inner: string) => linesBelow(child, asked, inner)),
    ...(counts.length > 0 ? [() => []] : []),
    ...followersOutbox.map(() => () => []),
  ];
  const heads = [
    ...children.map(({ run }) => `${linkOf(run)}: ${lineOf(run, asked)}`),
    ...(counts.length > 0 ? [`and more: ${counts.join(', ')}`] : []),
    ...followersOutbox.map(outboxLine),
  ];
  return heads.flatMap((head, index) => {
    const last = index === heads.length - 1;
    return [`${indent}${last ? '└─' : '├─'} ${head}`, ...(below[index]?.(`${indent}${last ? '   ' : '│  '}`) ?? [])];
  });
}

/** In what way a run belongs to the one above it. */
export function linkOf({ origin, ordinal, causeRunId, batchId, event }: TreeRun): string {
  if (causeRunId === null) return 'rerun';
  if (batchId !== null) return 'child';
  return ordinal === NEXT_ORDINAL ? 'next' : (event ?? origin);
}

function lineOf(run: TreeRun, asked: string): string {
  const { id, taskName, state, reason, startedAt, dueAt } = run;
  const ms = tookMs(run);
  const when = startedAt ? `started ${inUtc(startedAt)}` : `due ${inUtc(dueAt)}`;
  const took = ms === null ? '' : `, took ${span(ms)}`;
  const why = reason === null ? '' : ` (${reason.split('\n')[0]})`;
  return `${taskName} ${state}${why}, ${when}${took}, ${id}${id === asked ? '  <-' : ''}`;
}
