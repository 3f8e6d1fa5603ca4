import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { toLists } from '../../links.ts';
import { useMay } from '../../me/me.ts';
import { Answer } from '../../parts/answer.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { listsQuery } from '../lists/lists-query.ts';
import { Actions } from './actions.tsx';
import type { List } from './answer.ts';
import { Items } from './items.tsx';

const api = getRouteApi('/signed-in/lists/$name');
const { lists: text, common } = words;
const { column: heads } = text;

/** A work-list: how it stands, and what is in it. */
export function ListScreen() {
  const { name } = api.useParams();
  const search = api.useSearch();
  const lists = useQuery(listsQuery);
  const list = lists.data?.items.find((each) => each.name === name);
  const maySee = useMay('read-payload');
  return (
    <Page title={name} beside={list ? <Actions list={list} /> : null}>
      <Answer of={lists} skeleton={<SkeletonRows rows={8} />}>
        {() =>
          list === undefined ? (
            <Empty title={text.gone}>
              <Link {...toLists()}>{text.allLists}</Link>
            </Empty>
          ) : (
            <>
              <Counts list={list} />
              {maySee ? (
                <Items name={name} search={search} />
              ) : (
                <Empty title={text.mayNotSee}>
                  <span>{common.notAllowed('read-payload')}</span>
                </Empty>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  );
}

function Counts({ list: { waiting, taken, added } }: { list: List }) {
  return (
    <Panel title={text.counts}>
      <Facts
        of={[
          [heads.waiting, waiting.toLocaleString('en')],
          [heads.taken, taken.toLocaleString('en')],
          [heads.added, added.toLocaleString('en')],
        ]}
      />
    </Panel>
  );
}
