import { randomBytes } from 'node:crypto';
import type { Change } from './change.ts';
import type { Project } from './project.ts';

export const COMPOSE_FILE = 'escapement.compose.yml';

const PASSWORDS = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD'];
const OWNER_ONLY = 0o600;

const COMPOSE = `# Postgres and Redis for development, with the passwords of .env. Where Docker runs, \`escapement dev\` starts and stops them.
# By hand: docker compose -f ${COMPOSE_FILE} up --detach --wait
services:
  postgres:
    image: postgres:18.4-bookworm
    environment:
      POSTGRES_USER: escapement
      POSTGRES_DB: escapement
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?npx escapement init}
    volumes: ['postgres:/var/lib/postgresql']
    # A free port of this machine: docker compose -f ${COMPOSE_FILE} port postgres 5432
    ports: ['127.0.0.1::5432']
    shm_size: 256mb
    healthcheck:
      test: ['CMD-SHELL', 'pg_isready -h 127.0.0.1 -U escapement -d escapement']
      interval: 2s
      timeout: 3s
      retries: 30

  redis:
    image: redis:8.2.1-bookworm
    user: redis
    # One user, escapement. What Redis loses is added again from Postgres; what it evicts would start late.
    entrypoint:
      - sh
      - -ec
      - |
        umask 077
        hash=$$(printf %s "$$REDIS_PASSWORD" | sha256sum | cut -d ' ' -f 1)
        printf 'user default off\\nuser escapement on #%s ~* &* +@all\\n' "$$hash" > /tmp/users.acl
        exec redis-server --aclfile /tmp/users.acl --appendonly yes --maxmemory-policy noeviction "$$@"
      - redis
    environment:
      REDIS_PASSWORD: \${REDIS_PASSWORD:?npx escapement init}
    volumes: ['redis:/data']
    ports: ['127.0.0.1::6379']
    healthcheck:
      test: ['CMD-SHELL', 'REDISCLI_AUTH="$$REDIS_PASSWORD" redis-cli --user escapement ping | grep -q PONG']
      interval: 2s
      timeout: 3s
      retries: 30

volumes:
  postgres:
  redis:
`;

const EXAMPLE = `# Copy it to .env, which stays out of Git; \`escapement init\` writes that with passwords of its own.
# Passwords of Postgres and Redis in ${COMPOSE_FILE}: letters and digits.
POSTGRES_PASSWORD=
REDIS_PASSWORD=
`;

/** The compose file, and the passwords that it asks for. */
export function serverFiles({ has }: Project): Change[] {
  const values = PASSWORDS.map((name) => `${name}=${randomBytes(24).toString('hex')}\n`).join('');
  const all: Change[] = [
    { file: COMPOSE_FILE, content: COMPOSE, what: 'Postgres and Redis, where Docker runs', isNew: true },
    {
      file: '.env',
      content: values,
      what: 'their passwords, new, readable by you alone',
      isNew: true,
      mode: OWNER_ONLY,
    },
    { file: '.env.example', content: EXAMPLE, what: 'what .env has, without the passwords', isNew: true },
  ];
  return all.filter(({ file }) => !has(file));
}

/** Passwords that a .env of the user's own lacks. */
export function missingPasswords({ read }: Project): string[] {
  const text = read('.env');
  if (text === undefined) return [];
  return PASSWORDS.filter((name) => !new RegExp(`^\\s*(export\\s+)?${name}\\s*=\\s*\\S`, 'm').test(text));
}
