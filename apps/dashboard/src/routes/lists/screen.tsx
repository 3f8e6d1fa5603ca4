import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { toList } from '../../links.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { AddDialog } from '../list/add-dialog.tsx';
import { listsQuery } from './lists-query.ts';

type List = components['schemas']['WorkLists']['items'][number];

const { lists: text, common } = words;
const { column: heads } = text;

const COLUMNS: readonly Column<List>[] = [
  { head: heads.name, cell: ({ name }) => <Link {...toList(name)}>{name}</Link> },
  { head: heads.waiting, isNumber: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
  { head: heads.taken, isNumber: true, cell: ({ taken }) => taken.toLocaleString('en') },
  { head: heads.added, isNumber: true, cell: ({ added }) => added.toLocaleString('en') },
];

/** Every work-list: how much waits in it. */
export function ListsScreen() {
  const lists = useQuery(listsQuery);
  return (
    <Page title={text.title} beside={<Add />}>
      <Answer of={lists} skeleton={<SkeletonRows rows={4} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={text.none}>
              <span>{text.noneFix}</span>
            </Empty>
          ) : (
            <Panel title={text.list} note={items.length.toLocaleString('en')} flush>
              <DataTable label={text.list} columns={COLUMNS} rows={items} keyOf={({ name }) => name} />
            </Panel>
          )
        }
      </Answer>
    </Page>
  );
}

function Add() {
  const [isOpen, setIsOpen] = useState(false);
  const navigate = useNavigate();
  const whyNot = useMayAll('write-data') ? null : common.notAllowedForAll('write-data');
  return (
    <>
      <ActionButton words={text.add} whyNot={whyNot} onClick={() => setIsOpen(true)} />
      {isOpen ? (
        <AddDialog list={null} onClose={() => setIsOpen(false)} onAdded={(name) => void navigate(toList(name))} />
      ) : null}
    </>
  );
}
