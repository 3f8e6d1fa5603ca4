import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../api/load-part.ts';
import { signedInRoute } from '../signed-in.tsx';
import { auditSearch } from './search.ts';

export const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyScreen(() => import('./screen.tsx'), 'AuditScreen'),
});
