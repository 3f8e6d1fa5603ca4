import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checkConfig } from '@escapement/service';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import manifestOfRepository from '../../package.json' with { type: 'json' };
import { root } from '../process.mjs';
import { type Container, hasLabels, type Manifest, programOf, type Workload, workloadsOf } from './manifest.ts';
import { prometheusRule } from './prometheus-rule.ts';
import { reachOf } from './reach.ts';
import { copyOfManifests, hasKustomize, render } from './render.ts';

const folder = copyOfManifests();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rendered = (overlay: string) => (hasKustomize ? render(path.join(folder, overlay)) : []);
const all = {
  base: rendered('base'),
  example: rendered('overlays/example'),
  separated: rendered('overlays/separated'),
};
const each = Object.values(all).flatMap((manifests) =>
  workloadsOf(manifests).map((workload) => ({ manifests, workload })),
);
const containerOf = ({ spec }: Workload): Container => spec.template.spec.containers[0];

const textData = z.looseObject({ data: z.record(z.string(), z.string()).optional() });

/** The texts of a ConfigMap or Secret; null: these manifests have none of that name. */
function dataOf(manifests: readonly Manifest[], kind: 'ConfigMap' | 'Secret', name: string) {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!found) return null;
  const { data = {} } = textData.parse(found);
  const read = (value: string) => (kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, read(value)]));
}

/** What a container finds in its environment. A secret that is made elsewhere has what the example's has. */
function environmentOf(workload: Workload, manifests: readonly Manifest[]): Record<string, string | undefined> {
  const container = containerOf(workload);
  const settings = container.envFrom.map(({ configMapRef }) => dataOf(manifests, 'ConfigMap', configMapRef.name));
  const own = container.env.map(({ name, value, valueFrom }) => {
    const { secretKeyRef, fieldRef } = valueFrom ?? {};
    if (secretKeyRef) return [name, secretOf(manifests, secretKeyRef)];
    const [, label] = /^metadata\.labels\['(.+)'\]$/.exec(fieldRef?.fieldPath ?? '') ?? [];
    return [name, label === undefined ? value : workload.spec.template.metadata.labels[label]];
  });
  return Object.assign({}, ...settings, Object.fromEntries(own));
}

function secretOf(manifests: readonly Manifest[], { name, key }: { name: string; key: string }): string | undefined {
  const data = dataOf(manifests, 'Secret', name);
  if (data) return data[key];
  const generated = all.example.find(({ kind, metadata }) => kind === 'Secret' && metadata.name.startsWith(`${name}-`));
  return dataOf(all.example, 'Secret', generated?.metadata.name ?? '')?.[key];
}

function roleOf(workload: Workload): 'scheduler' | 'api' | 'worker' | 'cli' {
  const program = programOf(workload);
  return program === 'migrate' ? 'cli' : z.enum(['scheduler', 'api', 'worker']).parse(program);
}

function configOf(workload: Workload, manifests: readonly Manifest[]) {
  const result = checkConfig(environmentOf(workload, manifests), roleOf(workload));
  return result.ok ? result.config : result.problems;
}

const fleet = z.object({ healthPort: z.number(), graceMs: z.number().optional(), apiPort: z.number().optional() });

describe.skipIf(!hasKustomize)('each workload', () => {
  test('has a configuration that its program takes, with a user of its own in Postgres', () => {
    expect(each.length).toBe(4 + 5 + 5);
    for (const { workload, manifests } of each) {
      const { databaseUrl } = z.looseObject({ databaseUrl: z.string() }).parse(configOf(workload, manifests));
      const program = programOf(workload);
      expect(new URL(databaseUrl).username).toBe(program === 'migrate' ? 'escapement' : program);
    }
  });

  test('is of the version of this repository, in which its image has that name', () => {
    for (const { workload } of each) {
      const [, name, tag] = /^(?:registry\.example\.com\/)?([a-z-]+):(.+)$/.exec(containerOf(workload).image) ?? [];
      const program = programOf(workload) === 'migrate' ? 'scheduler' : programOf(workload);
      expect([name, tag]).toEqual([`escapement-${program}`, manifestOfRepository.version]);
    }
  });

  test('drops all, writes nowhere but into /tmp, and is not root but for a separated worker', () => {
    for (const { workload, manifests } of each) {
      const { spec } = workload.spec.template;
      const separated = manifests === all.separated && programOf(workload) === 'worker';
      const user = separated ? { runAsNonRoot: false, runAsUser: 0 } : { runAsNonRoot: true, runAsUser: 1000 };
      expect(spec.securityContext).toMatchObject({ ...user, seccompProfile: { type: 'RuntimeDefault' } });
      const capabilities = { drop: ['ALL'], ...(separated && { add: ['SETUID', 'SETGID', 'KILL'] }) };
      const closed = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities };
      expect(containerOf(workload).securityContext).toEqual(closed);
      expect(containerOf(workload).volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
      expect(containerOf(workload).resources).toMatchObject({ requests: {}, limits: { memory: expect.any(String) } });
    }
  });

  test('has an account of its own without a token, and no variables that Kubernetes makes of Services', () => {
    for (const { workload, manifests } of each) {
      const { spec } = workload.spec.template;
      const account = manifests.find(
        ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === spec.serviceAccountName,
      );
      expect(account).toMatchObject({ automountServiceAccountToken: false });
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(spec.serviceAccountName).toBe(`escapement-${programOf(workload)}`);
    }
  });

  test('is probed where its program answers, and has the time to end that it takes', () => {
    for (const { workload, manifests } of each.filter(({ workload: { kind } }) => kind === 'Deployment')) {
      const { ports, startupProbe, livenessProbe, readinessProbe, lifecycle } = containerOf(workload);
      const { healthPort, graceMs, apiPort } = fleet.parse(configOf(workload, manifests));
      const expected = { health: healthPort, ...(apiPort !== undefined && { http: apiPort }) };
      expect(Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]))).toEqual(expected);
      for (const probe of [startupProbe, livenessProbe])
        expect(probe?.httpGet).toEqual({ path: '/healthz', port: 'health' });
      expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'health' });
      // A scheduler stops within 9 s, the API within 14 s.
      const takes = { scheduler: 9, api: 14, worker: (graceMs ?? 0) / 1000 + 5 }[programOf(workload)] ?? 0;
      const before = lifecycle === undefined ? 0 : 5;
      expect(workload.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(takes + before);
    }
  });

  test('is selected by its own labels alone', () => {
    for (const { workload, manifests } of each) {
      const { labels } = workload.spec.template.metadata;
      const asked = workload.spec.selector?.matchLabels;
      if (asked === undefined) continue;
      const others = workloadsOf(manifests).filter(({ metadata }) => metadata.name !== workload.metadata.name);
      expect(hasLabels(asked, labels)).toBe(true);
      expect(others.filter(({ spec }) => hasLabels(asked, spec.template.metadata.labels))).toEqual([]);
      for (const { labelSelector } of workload.spec.template.spec.topologySpreadConstraints)
        expect(labelSelector.matchLabels).toEqual(asked);
    }
  });
});

/** Of a Service or a budget: the labels of the pods that it is for. */
const forPods = z.looseObject({
  spec: z.union([
    z.looseObject({ selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }) }),
    z.looseObject({ selector: z.record(z.string(), z.string()) }),
  ]),
});

describe.skipIf(!hasKustomize)('the manifests', () => {
  test('each Service and each budget is for the pods of one program', () => {
    const found = Object.values(all).flatMap((manifests) =>
      manifests
        .filter(({ kind }) => kind === 'Service' || kind === 'PodDisruptionBudget')
        .map((manifest) => {
          const { selector } = forPods.parse(manifest).spec;
          const labels = z.record(z.string(), z.string()).parse(selector.matchLabels ?? selector);
          const pods = workloadsOf(manifests).filter(({ spec }) => hasLabels(labels, spec.template.metadata.labels));
          return [`${manifest.kind} ${manifest.metadata.name}`, pods.map(({ metadata }) => metadata.name)];
        }),
    );
    expect(new Map(found.map(([name, pods]) => [String(name), pods]))).toEqual(
      new Map([
        ['Service escapement-api', ['escapement-api']],
        ['PodDisruptionBudget escapement-scheduler', ['escapement-scheduler']],
        ['PodDisruptionBudget escapement-api', ['escapement-api']],
      ]),
    );
  });

  test('each key of a secret that is generated is read, and nothing else is', () => {
    const read = workloadsOf(all.example).flatMap((workload) =>
      containerOf(workload).env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
    );
    const asked = [...read.map(({ name, key }) => `${name} ${key}`), 'escapement-keda token'];
    const made = all.example.flatMap((manifest) =>
      manifest.kind === 'Secret'
        ? Object.keys(textData.parse(manifest).data ?? {}).map((key) => `${manifest.metadata.name} ${key}`)
        : [],
    );
    expect([...new Set(asked)].sort()).toEqual(made.sort());
  });

  test('what is applied before the programs is the migration with all that it needs', () => {
    const first = all.example.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'migrate');
    const kinds = first.map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['Job', 'Secret', 'ServiceAccount']);
    const [job] = workloadsOf(first);
    if (!job) throw new Error('there is no job');
    expect(environmentOf(job, first).DATABASE_URL).toMatch(/^postgresql:/);
    expect(first.map(({ metadata }) => metadata.name)).toContain(job.spec.template.spec.serviceAccountName);
  });

  test('two schedulers are spread over nodes, and no two are away at once', () => {
    const scheduler = workloadsOf(all.base).find(({ metadata }) => metadata.name === 'escapement-scheduler');
    expect(scheduler?.spec).toMatchObject({
      replicas: 2,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        spec: {
          topologySpreadConstraints: [
            { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
            { topologyKey: 'topology.kubernetes.io/zone' },
          ],
        },
      },
    });
  });

  test('the rules for the operator are those for Prometheus', () => {
    const read = (file: string) => readFileSync(path.join(root, 'deploy', file), 'utf8');
    const rules = prometheusRule(read('prometheus/escapement.rules.yml'));
    expect(read('kubernetes/components/monitoring/rules.yaml')).toBe(rules);
  });

  test('KEDA scales a Deployment that is there and has no number of its own, and asks the API by a name that it answers to', () => {
    const scaled = all.example
      .filter(({ kind }) => kind === 'ScaledObject')
      .map((manifest) => scaledObject.parse(manifest));
    expect(scaled).toHaveLength(1);
    for (const { spec } of scaled) {
      const target = workloadsOf(all.example).find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
      if (!target) throw new Error(`nothing is called ${spec.scaleTargetRef.name}`);
      expect(target.spec.replicas).toBeUndefined();
      const [{ metadata }] = spec.triggers;
      const url = new URL(metadata.url);
      expect(url.pathname).toBe(`/v1/pools/${environmentOf(target, all.example).ESCAPEMENT_POOLS}/demand`);
      const api = workloadsOf(all.example).find((workload) => programOf(workload) === 'api');
      const { apiHosts } = z.looseObject({ apiHosts: z.array(z.string()) }).parse(api && configOf(api, all.example));
      expect(apiHosts).toContain(url.host);
      // From when a run counts there is time to ask twice, and for a pod to start.
      expect(Number(url.searchParams.get('leadMs'))).toBeGreaterThan(2000 * spec.pollingInterval);
    }
  });
});

const scaledObject = z.looseObject({
  spec: z.looseObject({
    scaleTargetRef: z.strictObject({ name: z.string() }),
    pollingInterval: z.number(),
    triggers: z.tuple([
      z.looseObject({ metadata: z.record(z.string(), z.string()).and(z.object({ url: z.string() })) }),
    ]),
  }),
});

/** The Internet, but for networks of one's own. */
const PUBLIC = (port: number) => [`0.0.0.0/0 but 5 ${port}`, `::/0 but 2 ${port}`];
const DNS = ['kube-system/k8s-app=kube-dns 53', 'kube-system/k8s-app=kube-dns 53 UDP'];

describe.skipIf(!hasKustomize)('network policies let through what a program connects to, and nothing else', () => {
  const out = (manifests: Manifest[], servers: { postgres: string; redis: string }) => {
    const pods = workloadsOf(manifests).map(({ metadata, spec }) => [
      metadata.name,
      reachOf(spec.template.metadata.labels, manifests),
    ]);
    const postgres = `${servers.postgres} 5432`;
    const both = [postgres, `${servers.redis} 6379`];
    const expected = {
      'escapement-migrate': [postgres],
      'escapement-api': [postgres],
      'escapement-scheduler': [...both, ...PUBLIC(443), ...PUBLIC(465), ...PUBLIC(587)],
      'escapement-worker': [...both, ...PUBLIC(80), ...PUBLIC(443)],
    };
    return { pods: Object.fromEntries(pods), expected };
  };

  test.each([
    { of: 'base', servers: { postgres: 'anywhere', redis: 'anywhere' } },
    { of: 'example', servers: { postgres: '10.20.0.10/32', redis: '10.20.0.20/32' } },
  ] as const)('out of the pods of $of', ({ of, servers }) => {
    const { pods, expected } = out(all[of], servers);
    for (const [name, lines] of Object.entries(expected))
      expect(pods[name]).toMatchObject({ closed: ['Egress', 'Ingress'], out: [...lines, ...DNS].sort() });
    if (of === 'example') expect(pods['escapement-worker-reports']).toEqual(pods['escapement-worker']);
  });

  test('into the pods', () => {
    const into = (manifests: Manifest[]) =>
      Object.fromEntries(
        workloadsOf(manifests).map((workload) => [
          programOf(workload),
          reachOf(workload.spec.template.metadata.labels, manifests).in,
        ]),
      );
    const asksApi = 'own namespace/escapement/asks-api=true http';
    expect(into(all.base)).toEqual({ migrate: [], scheduler: [], worker: [], api: [asksApi] });
    const prometheus = 'monitoring/app.kubernetes.io/name=prometheus health';
    const ingress = 'ingress-nginx/app.kubernetes.io/name=ingress-nginx http';
    expect(into(all.example)).toEqual({
      migrate: [],
      scheduler: [prometheus],
      worker: [prometheus],
      api: [ingress, 'keda/app=keda-operator http', prometheus, asksApi].sort(),
    });
  });
});
