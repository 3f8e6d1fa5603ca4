// `npm run sign-in`: another link to the dashboard of `npm run dev`, for a browser in which nobody is signed in.
import { readDevState, signInLink } from '@escapement/dev';

const state = readDevState(new URL('../../.escapement/dev.json', import.meta.url));
if (state?.databaseUrl === undefined || state.apiUrl === undefined) {
  console.error('npm run dev does not run here: start it, in another terminal');
  process.exitCode = 1;
} else {
  console.log(await signInLink(state.databaseUrl, state.apiUrl));
}
