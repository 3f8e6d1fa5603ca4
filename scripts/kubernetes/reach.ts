import { z } from 'zod';
import type { Manifest } from './manifest.ts';

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .default([]),
});

const peer = z.strictObject({
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).optional() }).optional(),
  namespaceSelector: selector.optional(),
  podSelector: selector.optional(),
});
type Peer = z.infer<typeof peer>;
const ports = z.array(z.strictObject({ protocol: z.string(), port: z.union([z.string(), z.number()]) }));

const policy = z.object({
  kind: z.literal('NetworkPolicy'),
  spec: z.strictObject({
    podSelector: selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.array(peer).optional(), ports })).default([]),
    egress: z.array(z.strictObject({ to: z.array(peer).optional(), ports })).default([]),
  }),
});

/** What network policies let a pod with these labels do. */
export interface Reach {
  /** Directions in which nothing goes but what is named. */
  closed: string[];
  /** `anywhere 5432`: who, and which port, by name where it has one. */
  out: string[];
  in: string[];
}

export function reachOf(labels: Record<string, string>, manifests: readonly Manifest[]): Reach {
  const specs = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map((each) => policy.parse(each).spec);
  const own = specs.filter(({ podSelector }) => selects(podSelector, labels));
  return {
    closed: [...new Set(own.flatMap(({ policyTypes }) => policyTypes))].sort(),
    out: own.flatMap(({ egress }) => egress.flatMap((each) => lines(each.to, each.ports))).sort(),
    in: own.flatMap(({ ingress }) => ingress.flatMap((each) => lines(each.from, each.ports))).sort(),
  };
}

function selects({ matchLabels, matchExpressions }: z.infer<typeof selector>, labels: Record<string, string>): boolean {
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return equal && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));
}

function lines(peers: readonly Peer[] | undefined, to: z.infer<typeof ports>): string[] {
  const who = peers === undefined ? ['anywhere'] : peers.map(peerWords);
  return who.flatMap((each) =>
    to.map(({ protocol, port }) => `${each} ${port}${protocol === 'TCP' ? '' : ` ${protocol}`}`),
  );
}

function peerWords({ ipBlock, namespaceSelector, podSelector }: Peer): string {
  if (ipBlock) return ipBlock.except ? `${ipBlock.cidr} but ${ipBlock.except.length}` : ipBlock.cidr;
  const namespace = Object.values(namespaceSelector?.matchLabels ?? { own: 'own namespace' }).join();
  const pods = Object.entries(podSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${namespace}/${pods.join()}`;
}
