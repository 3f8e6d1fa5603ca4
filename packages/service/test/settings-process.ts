import { readdirSync, readFileSync } from 'node:fs';
import { closeInheritedDescriptors, takeEnvironment } from '@escapement/service/environment';

// Takes its environment as the apps do, and says what is left to be seen of it.
const env = takeEnvironment();
closeInheritedDescriptors();
const shown = process.platform === 'linux' ? readFileSync('/proc/self/environ', 'latin1').replaceAll('\0', '') : '';
const inherited = process.platform === 'linux' ? readdirSync('/proc/self/fd').includes('40') : false;
const { PLAIN, SHOP_KEY, DATABASE_URL, ESCAPEMENT_POOLS } = process.env;
process.stdout.write(
  `${JSON.stringify({ env, shown, inherited, left: { PLAIN, SHOP_KEY, DATABASE_URL, ESCAPEMENT_POOLS } })}\n`,
);
