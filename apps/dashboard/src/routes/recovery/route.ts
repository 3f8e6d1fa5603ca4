import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { recoverySearch } from './search.ts';

export const recoveryRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/recovery',
  validateSearch: recoverySearch,
  component: lazyScreen(() => import('./screen.tsx'), 'RecoveryScreen'),
});
