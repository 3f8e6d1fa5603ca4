import { createRoute } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { signedInRoute } from '../signed-in.tsx';
import { NowScreen } from './screen.tsx';
import { askAhead } from './use-known.ts';

const search = z.object({
  /** `?wall`, for a screen on a wall: nothing around it, and larger. */
  wall: z.catch(z.optional(z.union([z.boolean(), z.literal('')])), undefined),
});

export const nowRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: search,
  // Asked before anything is drawn: drawing takes as long as the answers do.
  loader: ({ context: { queries } }) => askAhead(queries),
  // In the first script, unlike the other screens: most begin here, and its own files would be asked for one after the other.
  component: NowScreen,
});
