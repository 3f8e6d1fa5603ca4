import { getRouteApi } from '@tanstack/react-router';
import { get } from '../../api/get.ts';
import { Asked } from '../../parts/answer.tsx';
import { Page } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { Definition } from './definition.tsx';
import { Deliveries } from './deliveries.tsx';
import { documentOf } from './document.ts';
import { Receivers } from './receivers.tsx';
import { Routes } from './routes.tsx';
import { Rules } from './rules.tsx';

const api = getRouteApi('/signed-in/alerting');
const { alerting: text } = words;

/** What alerts there are, who is told of them and how, and what became of each message. */
export function AlertingScreen() {
  const { receiver } = api.useSearch();
  return (
    <Page title={text.title}>
      <Asked query={get('/v1/alert-rules')} skeleton={<SkeletonRows rows={12} />}>
        {(inForce) => {
          const { rules, routes = [], receivers = {} } = documentOf(inForce);
          return (
            <>
              <Rules rules={rules} version={inForce.version} />
              <Routes routes={routes} />
              <Receivers receivers={receivers} />
              <Definition inForce={inForce} />
            </>
          );
        }}
      </Asked>
      <Deliveries receiver={receiver} />
    </Page>
  );
}
