import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { get } from '../../api/get.ts';
import { Answer } from '../../parts/answer.tsx';
import { Page } from '../../parts/page.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import type { Which } from './held-action.ts';
import { None } from './none.tsx';
import { arranged, type HeldTask, orderOf } from './order.ts';
import { Plan } from './plan.tsx';
import { Decided, UnderWay } from './requests.tsx';
import { RunsOf } from './runs.tsx';

const api = getRouteApi('/signed-in/recovery');
const { recovery: text } = words;

function ofAll(tasks: readonly HeldTask[], given: readonly string[]): Which {
  const order = orderOf(tasks, given);
  return order ? { order } : {};
}

/** What is held after an outage: what it is, and what becomes of it. */
export function RecoveryScreen() {
  const { task } = api.useSearch();
  const held = useQuery(get('/v1/recovery'));
  // What was asked for here stays in sight, also when it is over at once.
  const [asked, setAsked] = useState<readonly string[]>([]);
  const [order, onOrder] = useState<readonly string[]>([]);
  const onAsked = (id: string) => setAsked((before) => [...before, id]);
  const isEmpty = held.data?.items.length === 0;
  return (
    <Page
      title={text.title}
      beside={
        held.data === undefined || isEmpty ? null : (
          <Actions which={ofAll(held.data.items, order)} run={text.runAll} drop={text.dropAll} onAsked={onAsked} />
        )
      }
    >
      <UnderWay asked={asked} />
      <Answer of={held} skeleton={<SkeletonRows rows={4} />}>
        {({ items }) =>
          items.length === 0 ? (
            <None />
          ) : (
            <Plan tasks={arranged(items, order)} ordering={{ order, onOrder }} onAsked={onAsked} />
          )
        }
      </Answer>
      {task === undefined ? null : <RunsOf key={task} task={task} onAsked={onAsked} />}
      <Decided asked={asked} />
    </Page>
  );
}
