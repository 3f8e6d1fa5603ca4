import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { get } from '../../api/get.ts';
import { toBackfills } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Answer } from '../../parts/answer.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { List } from './list.tsx';
import styles from './screen.module.css';
import { StartDialog } from './start-dialog.tsx';

const api = getRouteApi('/signed-in/backfills');
const { backfills: text, common } = words;
const PAGE = 50;
const MOST = 1000;
/** An occurrence that is left as it is makes no event. */
const LOOK_MS = 2000;

/** Occurrences of a time that has passed: what is run of them, and how far that is. */
export function BackfillsScreen() {
  const { start } = api.useSearch();
  const navigate = useNavigate();
  const [limit, setLimit] = useState(PAGE);
  const list = useQuery({
    ...get('/v1/backfills', { query: { limit } }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.items.some((each) => each.state === 'running') ? LOOK_MS : false),
  });
  const mayStart = useMay('trigger');
  return (
    <Page
      title={text.title}
      beside={
        <ActionButton
          words={text.start}
          whyNot={mayStart ? null : common.notAllowed('trigger')}
          onClick={() => void navigate(toBackfills({ start: '' }))}
        />
      }
    >
      <Answer of={list} skeleton={<SkeletonRows rows={4} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.none}>
              <span>{text.noneWords}</span>
            </Empty>
          ) : (
            <Panel title={text.list} flush>
              <List backfills={items} />
              {items.length < limit || limit >= MOST ? null : (
                <div className={styles.foot}>
                  <Button size="compact-sm" variant="default" onClick={() => setLimit(Math.min(MOST, limit + PAGE))}>
                    {common.more}
                  </Button>
                </div>
              )}
            </Panel>
          )
        }
      </Answer>
      {start === undefined || !mayStart ? null : (
        <StartDialog task={start} onClose={() => void navigate({ ...toBackfills(), replace: true })} />
      )}
    </Page>
  );
}
