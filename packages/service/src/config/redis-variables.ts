import { maskUrl } from '@escapement/core/mask';
import { addresses, pemFile, text, url } from './values.ts';
import { REDIS_USERS, type Section, type Variable } from './variable.ts';

const MASKED = () => '***';

/** The options of one Redis; `prefix` begins their names. */
function redisOptions<const S extends Section>(prefix: string, section: S) {
  const common = { section, roles: REDIS_USERS };
  return {
    sentinels: {
      ...common,
      env: `${prefix}_SENTINELS`,
      schema: addresses(26_379),
      doc: `Sentinels that know where the primary is; any of them may be away. The host of \`${prefix}_URL\` is then the name they have for it, as in \`redis://user:password@mymaster/0\`, without a port.`,
    },
    sentinelUsername: {
      ...common,
      env: `${prefix}_SENTINEL_USERNAME`,
      schema: text('a user name', /\S/),
      doc: 'The user for the sentinels themselves, where they ask for one.',
    },
    sentinelPassword: {
      ...common,
      env: `${prefix}_SENTINEL_PASSWORD`,
      schema: text('a password', /\S/),
      mask: MASKED,
      doc: `The password for the sentinels themselves; that of Redis stands in \`${prefix}_URL\`.`,
    },
    tlsCa: {
      ...common,
      env: `${prefix}_TLS_CA`,
      schema: pemFile('CERTIFICATE'),
      doc: 'The certificates of the authorities to trust instead of those that Node trusts. For `rediss://`, as are the next three; the sentinels are then contacted by TLS too.',
    },
    tlsCert: {
      ...common,
      env: `${prefix}_TLS_CERT`,
      schema: pemFile('CERTIFICATE'),
      doc: 'The certificate to show to a Redis that asks for one (`tls-auth-clients`).',
    },
    tlsKey: {
      ...common,
      env: `${prefix}_TLS_KEY`,
      schema: pemFile('PRIVATE KEY'),
      doc: 'The key of that certificate.',
    },
    tlsServername: {
      ...common,
      env: `${prefix}_TLS_SERVERNAME`,
      schema: text('a name', /^[A-Za-z0-9_.:-]+$/),
      doc: "The name that Redis' certificate must have. By default the host that is connected to; with sentinels that is the address they tell.",
    },
  } as const satisfies Record<string, Variable>;
}

const queue = redisOptions('REDIS', 'Redis');
const lease = redisOptions('REDIS_LEASE', 'Redis for leases');

/** How to get into Redis, and into the one for leases. */
export const REDIS_VARIABLES = {
  redisSentinels: queue.sentinels,
  redisSentinelUsername: queue.sentinelUsername,
  redisSentinelPassword: queue.sentinelPassword,
  redisTlsCa: queue.tlsCa,
  redisTlsCert: queue.tlsCert,
  redisTlsKey: queue.tlsKey,
  redisTlsServername: queue.tlsServername,
  leaseRedisUrl: {
    env: 'REDIS_LEASE_URL',
    section: 'Redis for leases',
    roles: REDIS_USERS,
    schema: url('redis', 'rediss'),
    mask: maskUrl,
    doc: 'Another Redis for the leases, so that neither loses both queues and leases. The same for all processes of a fleet. Without it `REDIS_URL` serves for both.',
  },
  leaseRedisSentinels: lease.sentinels,
  leaseRedisSentinelUsername: lease.sentinelUsername,
  leaseRedisSentinelPassword: lease.sentinelPassword,
  leaseRedisTlsCa: lease.tlsCa,
  leaseRedisTlsCert: lease.tlsCert,
  leaseRedisTlsKey: lease.tlsKey,
  leaseRedisTlsServername: lease.tlsServername,
} as const satisfies Record<string, Variable>;
