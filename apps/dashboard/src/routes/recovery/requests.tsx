import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { isOver } from '../../parts/bulk/state.ts';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/index.ts';
import { heldRequests } from './held-action.ts';
import { Request } from './request.tsx';
import styles from './screen.module.css';

const { recovery: text } = words;
/** No event says how far one is. */
const LOOK_MS = 1000;
const READ = 200;
const SHOWN = 20;

function useRequests(): UseQueryResult<components['schemas']['BulkRequests']> {
  return useQuery({
    ...get('/v1/bulk', { query: { limit: READ } }),
    refetchInterval: ({ state }) => (heldRequests(state.data?.items ?? []).every(isOver) ? false : LOOK_MS),
  });
}

/** What is being done to held runs, and what was asked for here. */
export function UnderWay({ asked }: { asked: readonly string[] }) {
  const { data } = useRequests();
  const shown = heldRequests(data?.items ?? []).filter((each) => !isOver(each) || asked.includes(each.id));
  if (shown.length === 0) return null;
  return (
    <ul className={styles.requests} aria-label={text.underWay}>
      {shown.map((request) => (
        <Request key={request.id} request={request} />
      ))}
    </ul>
  );
}

/** What was decided in the last day. */
export function Decided({ asked }: { asked: readonly string[] }) {
  const { data } = useRequests();
  const shown = heldRequests(data?.items ?? []).filter((each) => isOver(each) && !asked.includes(each.id));
  if (shown.length === 0) return null;
  return (
    <Panel title={text.decided} note={text.decidedNote}>
      <ul className={styles.requests} aria-label={text.decided}>
        {shown.slice(0, SHOWN).map((request) => (
          <Request key={request.id} request={request} />
        ))}
      </ul>
    </Panel>
  );
}
