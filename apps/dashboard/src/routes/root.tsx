import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Link, Outlet } from '@tanstack/react-router';
import { toNow } from '../links.ts';
import { Note } from '../parts/note.tsx';
import { Page } from '../parts/page.tsx';
import { ProblemNote } from '../parts/problem.tsx';
import { words } from '../words/index.ts';

export const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => (
    <main>
      <Page title={words.common.product}>
        <ProblemNote error={error} onRetry={reset} />
      </Page>
    </main>
  ),
});

function NotFound() {
  return (
    <main>
      <Page title={words.common.notFound}>
        <Note tone="attention" shape="question">
          <span>{words.common.notFoundFix}</span>
          <Link {...toNow()}>{words.shell.now}</Link>
        </Note>
      </Page>
    </main>
  );
}
