// `npm run init`: writes .env, the passwords of docker-compose.yml, once.
import { fileURLToPath } from 'node:url';
import { writeComposeEnv } from '@escapement/servers';

const file = fileURLToPath(new URL('../../.env', import.meta.url));
console.log(
  (await writeComposeEnv(file)) ? '.env is written: new passwords, readable by you alone' : '.env is there: it stays',
);
