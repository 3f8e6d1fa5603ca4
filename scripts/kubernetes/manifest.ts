import { z } from 'zod';

const labels = z.record(z.string(), z.string());

/** An object of Kubernetes, whatever its kind. */
export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional(), labels: labels.optional() }),
});
export type Manifest = z.infer<typeof manifest>;

const keyOf = z.strictObject({ name: z.string(), key: z.string() });
const probe = z.looseObject({ httpGet: z.strictObject({ path: z.string(), port: z.string() }) });

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z.array(
    z.strictObject({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z
        .strictObject({
          secretKeyRef: keyOf.optional(),
          fieldRef: z.strictObject({ fieldPath: z.string() }).optional(),
        })
        .optional(),
    }),
  ),
  envFrom: z.array(z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) })).default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z.unknown().optional(),
  securityContext: z.record(z.string(), z.unknown()),
  resources: z.record(z.string(), z.record(z.string(), z.string())),
  volumeMounts: z.array(z.looseObject({ mountPath: z.string() })),
});
export type Container = z.infer<typeof container>;

/** A Deployment or a Job. */
export const workload = manifest.extend({
  kind: z.enum(['Deployment', 'Job']),
  spec: z.looseObject({
    replicas: z.number().optional(),
    selector: z.strictObject({ matchLabels: labels }).optional(),
    template: z.looseObject({
      metadata: z.looseObject({ labels }),
      spec: z.looseObject({
        serviceAccountName: z.string(),
        automountServiceAccountToken: z.boolean().optional(),
        enableServiceLinks: z.boolean().optional(),
        terminationGracePeriodSeconds: z.number().optional(),
        securityContext: z.record(z.string(), z.unknown()),
        topologySpreadConstraints: z
          .array(z.looseObject({ labelSelector: z.strictObject({ matchLabels: labels }) }))
          .default([]),
        containers: z.tuple([container]),
      }),
    }),
  }),
});
export type Workload = z.infer<typeof workload>;

/** The objects of a kind that run programs. */
export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map((each) => workload.parse(each));
}

/** Which program a workload runs. */
export function programOf({ spec }: Workload): string {
  return spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';
}

/** Every label that is asked for is there with its value. */
export function hasLabels(asked: Record<string, string>, has: Record<string, string> | undefined): boolean {
  return Object.entries(asked).every(([key, value]) => has?.[key] === value);
}
