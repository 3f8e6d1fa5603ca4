import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { backfillsSearch } from './search.ts';

export const backfillsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/backfills',
  validateSearch: backfillsSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'BackfillsScreen'),
});
