import { NEXT_ORDINAL, tookMs } from '@escapement/core';
import { asSeenBy, requireRun, unknownRun } from '@escapement/operations';
import { type OpenOutboxEntry, type RunTree, readRunTree, type TreeRun } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { outboxLine } from '../output/outbox.ts';
import { inUtc, span } from '../output/wording.ts';

export function addRunTree(runs: Command, context: Context): void {
  runs
    .command('tree')
    .description('show what caused a run, and all runs that follow from it')
    .argument('<id>', 'id of any run of it')
    .action((id: string) => showTree(id, context));
}

/** A run with what it has caused. */
interface Node {
  run: TreeRun;
  children: Node[];
  followersOutbox: OpenOutboxEntry[];
  /** Children that are not listed, by state. */
  more: Record<string, number>;
}

async function showTree(given: string, context: Context): Promise<void> {
  const [id, root] = await withDatabase(context, async (db, by) => {
    const run = await requireRun(db, given);
    const found = await readRunTree(db, run.id);
    return [run.id, found && toNodes({ ...found, runs: await asSeenBy(db, by(), found.runs) })] as const;
  });
  if (!root) throw unknownRun(id);
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
  if (causeRunId === null) return 're-run';
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
