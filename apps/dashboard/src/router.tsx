import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { meQuery } from './me/me.ts';
import { Page } from './parts/page.tsx';
import { SkeletonRows } from './parts/skeleton.tsx';
import { aboutRoute } from './routes/about/route.ts';
import { accessRoute } from './routes/access/route.ts';
import { alertingRoute } from './routes/alerting/route.ts';
import { alertsRoute } from './routes/alerts/route.ts';
import { auditRoute } from './routes/audit/route.ts';
import { backfillsRoute } from './routes/backfills/route.ts';
import { calendarRoute } from './routes/calendar/route.ts';
import { editCalendarRoute, newCalendarRoute } from './routes/calendar-edit/route.ts';
import { calendarsRoute } from './routes/calendars/route.ts';
import { crontabsRoute } from './routes/crontabs/route.ts';
import { editRoute, newTaskRoute } from './routes/edit/route.ts';
import { errorsRoute } from './routes/errors/route.ts';
import { fleetRoute } from './routes/fleet/route.ts';
import { forecastRoute } from './routes/forecast/route.ts';
import { importRoute } from './routes/import/route.ts';
import { keyRoute } from './routes/key/route.ts';
import { listRoute } from './routes/list/route.ts';
import { listsRoute } from './routes/lists/route.ts';
import { nowRoute } from './routes/now/route.ts';
import { recoveryRoute } from './routes/recovery/route.ts';
import { rootRoute } from './routes/root.tsx';
import { runRoute } from './routes/run/route.ts';
import { runsRoute } from './routes/runs/route.ts';
import { signInRoute } from './routes/sign-in/route.ts';
import { signedInRoute } from './routes/signed-in.tsx';
import { taskRoute } from './routes/task/route.ts';
import { tasksRoute } from './routes/tasks/route.ts';
import { words } from './words/index.ts';

const tree = rootRoute.addChildren([
  signInRoute,
  signedInRoute.addChildren([
    nowRoute,
    tasksRoute,
    taskRoute,
    runsRoute,
    runRoute,
    errorsRoute,
    forecastRoute,
    fleetRoute,
    keyRoute,
    recoveryRoute,
    backfillsRoute,
    calendarsRoute,
    calendarRoute,
    editCalendarRoute,
    newCalendarRoute,
    crontabsRoute,
    listsRoute,
    listRoute,
    alertsRoute,
    auditRoute,
    accessRoute,
    aboutRoute,
    alertingRoute,
    editRoute,
    newTaskRoute,
    importRoute,
  ]),
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: Loading,
  });
}

/** A screen whose program, or whoever is signed in, is not here after a second: the server may be slow, or away. */
function Loading() {
  return (
    <Page title={words.common.loading}>
      <SkeletonRows />
    </Page>
  );
}

/** Begins at once to ask who is signed in, and to load the screen of the page's address: the one would wait for the other, and both for what is drawn before. */
export function loadAhead(router: ReturnType<typeof createAppRouter>, queries: QueryClient): void {
  const [, above, found] = router.getMatchedRoutes(router.latestLocation.pathname);
  if (above?.id === signedInRoute.id) void queries.prefetchQuery(meQuery);
  // What it cannot load now it tries again, and tells of, when it is shown.
  void preloadOf(found?.options.component)?.().catch(() => undefined);
}

function preloadOf(component: unknown): (() => Promise<unknown>) | undefined {
  return typeof component === 'function' && 'preload' in component
    ? (component.preload as () => Promise<unknown>)
    : undefined;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
