import { type Translation, translate } from '../translated/translated.ts';
import { isNode, type Node } from './at.ts';
import { type CronJobOptions, readCronJob } from './cron-job.ts';

/** An object of a manifest, and where it stands. */
export interface Manifest {
  value: unknown;
  /** `shop.yaml:12`. */
  place: string;
}

/** What the CronJobs of manifests become. One that cannot be a task stops no other one. Pure. */
export function readManifests(manifests: readonly Manifest[], options: CronJobOptions): Translation {
  const translation: Translation = { tasks: [], refused: [], notes: [] };
  const others = new Map<string, number>();
  for (const { value, place } of manifests.flatMap(itemsOf)) {
    const kind = isNode(value) && typeof value.kind === 'string' ? value.kind : undefined;
    if (kind === 'CronJob' && isNode(value)) readOne(value, place, { translation, options });
    else if (kind === undefined)
      translation.refused.push({
        place,
        reason: 'it has no kind: an object of Kubernetes names its kind and apiVersion',
      });
    else others.set(kind, (others.get(kind) ?? 0) + 1);
  }
  const kinds = [...others].map(([kind, count]) => `${count} ${kind}`).join(', ');
  if (kinds !== '') translation.notes.push(`only CronJobs become tasks; left out: ${kinds}`);
  return translation;
}

function readOne(
  manifest: Node,
  place: string,
  { translation, options }: { translation: Translation; options: CronJobOptions },
): void {
  const version = manifest.apiVersion;
  if (version === 'batch/v1' || version === 'batch/v1beta1')
    return translate(translation, place, () => [readCronJob(manifest, place, options)]);
  translation.refused.push({ place, reason: `apiVersion is ${JSON.stringify(version)}: batch/v1 is read` });
}

/** What `kubectl get -o yaml` gives is a list. */
function itemsOf({ value, place }: Manifest): Manifest[] {
  const { kind, items }: { kind?: unknown; items?: unknown } = isNode(value) ? value : {};
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [{ value, place }];
  return items.map((item: unknown, index) => ({
    value: item,
    place: `${place}, item ${index + 1} of ${items.length}`,
  }));
}
