import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { crontabsSearch } from './search.ts';

export const crontabsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/crontabs',
  validateSearch: crontabsSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'CrontabsScreen'),
});
