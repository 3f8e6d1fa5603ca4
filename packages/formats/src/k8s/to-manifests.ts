import { DAY, EscapementError, handlerFacts, type Json, SECOND, type TaskDefinition } from '@escapement/core';
import { differencesFrom } from '../translated/differences.ts';
import type { ExportedTask, LeftTask } from '../translated/exported-task.ts';
import { cannotSay } from '../translated/translated.ts';
import { writeContainer } from './write-container.ts';
import { writeSchedule } from './write-schedule.ts';

/** An object of Kubernetes, which is JSON. */
type Manifest = { [key: string]: Json };

export interface ManifestsExport {
  /** CronJobs, and what each does otherwise than its task. */
  manifests: { task: string; manifest: Manifest; differs: string[] }[];
  /** Tasks that Kubernetes cannot express. */
  left: LeftTask[];
}

export interface ManifestsOptions {
  /** The image that the commands run in. */
  image: string;
  /** Of objects whose task names none. Default: they have none. */
  namespace?: string | undefined;
}

/** Tasks as CronJobs of Kubernetes. Pure. */
export function toManifests(tasks: readonly ExportedTask[], options: ManifestsOptions): ManifestsExport {
  const exported: ManifestsExport = { manifests: [], left: [] };
  const taken = new Set<string>();
  for (const task of tasks) {
    const { name } = task.definition;
    try {
      const differs = differencesFrom('k8s', task.definition);
      const metadata = freeName(metadataOf(name, options), taken);
      exported.manifests.push({ task: name, manifest: manifestOf(task, { metadata, differs, options }), differs });
      taken.add(keyOf(metadata));
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      exported.left.push({ name, reason: error.fix ? `${error.message}: ${error.fix}` : error.message });
    }
  }
  return exported;
}

/** With a name and, perhaps, a namespace. */
type Metadata = { name: string; namespace?: string };

interface Made {
  metadata: Metadata;
  differs: string[];
  options: ManifestsOptions;
}

const OVERLAPS: { readonly [policy: string]: string } = { allow: 'Allow', replace: 'Replace' };

function manifestOf({ definition, paused }: ExportedTask, { metadata, differs, options }: Made): Manifest {
  const { handler, schedule, overlap, labels } = definition;
  const { shell } = handlerFacts(handler);
  if (!shell) throw cannotSay(`it is of type ${handler.type}`, 'a container runs a command');
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { ...metadata, ...(labels ? { labels: admittedLabels(labels, differs) } : {}) },
    spec: {
      ...writeSchedule(schedule, definition.name, differs),
      concurrencyPolicy: OVERLAPS[overlap.policy] ?? 'Forbid',
      ...deadlineOf(definition, differs),
      ...(paused ? { suspend: true } : {}),
      jobTemplate: {
        spec: {
          backoffLimit: definition.retry.maxAttempts - 1,
          activeDeadlineSeconds: limitOf(definition, differs),
          template: {
            spec: { restartPolicy: 'Never', containers: [writeContainer(shell, options.image, differs)] },
          },
        },
      },
    },
  };
}

/** Without a deadline Kubernetes makes up for the last occurrence that was missed, however late. */
function deadlineOf(
  { startDeadlineMs, catchUp }: TaskDefinition,
  differs: string[],
): { startingDeadlineSeconds?: number } {
  const policy = catchUp?.policy ?? 'latest';
  if (policy !== 'latest' && policy !== 'none')
    differs.push(`of what was missed one run is made up for, the policy here is ${policy}`);
  const withinMs = catchUp && 'withinMs' in catchUp ? catchUp.withinMs : undefined;
  const ms = startDeadlineMs ?? (policy === 'none' ? 60 * SECOND : withinMs);
  return ms === undefined || ms >= 366 * DAY ? {} : { startingDeadlineSeconds: Math.ceil(ms / SECOND) };
}

/** The limit of a task is for an attempt, that of a Job for all of them. */
function limitOf({ timeoutMs, retry: { maxAttempts } }: TaskDefinition, differs: string[]): number {
  if (maxAttempts > 1) differs.push('the time limit there is for all attempts together');
  return Math.ceil((timeoutMs * maxAttempts) / SECOND);
}

/** Names of Kubernetes are those of DNS; the Jobs of a CronJob have 11 characters more. */
const MAX_NAME = 52;

function metadataOf(task: string, options: ManifestsOptions): Metadata {
  const [, namespace, own = task] = /^([a-z0-9][a-z0-9-]{0,62})\/([^/]+)$/.exec(task) ?? [];
  const name = own
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '');
  const where = namespace ?? options.namespace;
  return { name: name || 'task', ...(where === undefined ? {} : { namespace: where }) };
}

function freeName(metadata: Metadata, taken: ReadonlySet<string>): Metadata {
  for (let count = 1; ; count++) {
    const tried = count === 1 ? metadata : { ...metadata, name: `${metadata.name.slice(0, MAX_NAME - 4)}-${count}` };
    if (!taken.has(keyOf(tried))) return tried;
  }
}

function keyOf({ name, namespace = '' }: Metadata): string {
  return `${namespace}/${name}`;
}

const LABEL = /^(?:[a-z0-9.-]+\/)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;
const VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

function admittedLabels(labels: Readonly<Record<string, string>>, differs: string[]): Record<string, string> {
  const entries = Object.entries(labels);
  const admitted = entries.filter(([key, value]) => LABEL.test(key) && VALUE.test(value));
  if (admitted.length < entries.length) differs.push('some of its labels are none of Kubernetes');
  return Object.fromEntries(admitted);
}
