import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { errorsSearch } from './search.ts';

export const errorsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/errors',
  validateSearch: errorsSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'ErrorsScreen'),
});
