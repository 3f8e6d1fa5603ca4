import { toManifests, toUnits } from '@escapement/formats';
import { exportedTasks, type TasksAsked } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { labelIn } from '../schemas/values.ts';

const chosen = {
  source: z.string().max(250).optional(),
  label: labelIn,
};

const left = z
  .array(z.object({ name: z.string(), reason: z.string() }))
  .meta({ description: 'Tasks that cannot be expressed, and why.' });

/** Commands as they are, with what stands in them. */
const about = { tag: 'other-schedulers', method: 'GET', right: 'read-payload', audit: null } as const;

const ofLabels = ({ query: { label } }: { query: { label?: TasksAsked['labels'] } }) =>
  label === undefined ? null : { labels: label };

export const exportSystemd = route({
  ...about,
  id: 'exportSystemd',
  path: '/v1/export/systemd',
  summary: 'Tasks as timers and services of systemd, with all that stands in their commands.',
  on: ofLabels,
  query: z.strictObject({
    ...chosen,
    user: z.string().min(1).max(100).optional().meta({
      description: 'Who runs tasks that name no user. Default: they are left out, since a service would run as root.',
    }),
  }),
  answer: z
    .object({ files: z.array(z.object({ name: z.string(), text: z.string() })), left })
    .meta({ id: 'SystemdExport' }),
  handle: async ({ db, clock, query: { label: labels, source, user } }) =>
    toUnits(await exportedTasks(db, { source, labels }, clock), { user }),
});

export const exportK8s = route({
  ...about,
  id: 'exportK8s',
  path: '/v1/export/k8s',
  summary: 'Tasks as CronJobs of Kubernetes, with all that stands in their commands.',
  on: ofLabels,
  query: z.strictObject({
    ...chosen,
    image: z.string().min(1).max(500).meta({ description: 'The image that the commands run in.' }),
    namespace: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a namespace of Kubernetes: small letters, digits and -')
      .optional()
      .meta({ description: 'Of objects whose task has none in its name (`shop/report`). Default: they have none.' }),
  }),
  answer: z
    .object({
      manifests: z.array(
        z.object({
          task: z.string(),
          manifest: z.record(z.string(), z.json()),
          differs: z.array(z.string()).meta({ description: 'What the CronJob does otherwise than the task.' }),
        }),
      ),
      left,
    })
    .meta({ id: 'K8sExport' }),
  handle: async ({ db, clock, query: { label: labels, source, image, namespace } }) =>
    toManifests(await exportedTasks(db, { source, labels }, clock), { image, namespace }),
});
