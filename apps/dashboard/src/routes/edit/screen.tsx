import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { get } from '../../api/get.ts';
import { nowMs } from '../../clock.ts';
import { Answer } from '../../parts/answer.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import { type Draft, edited, editsOf } from './draft.ts';
import { Form } from './form.tsx';
import { JsonView } from './json-view.tsx';
import { newDraft } from './kinds.ts';
import { Preview } from './preview.tsx';
import { Save } from './save.tsx';
import styles from './screen.module.css';
import { type Base, baseOf, usePreview } from './use-preview.ts';

const api = getRouteApi('/signed-in/tasks/$id/edit');
const { edit: text } = words;
/** Where nobody edits a task by a person, but a file or a program. */
const BY_PEOPLE = new Set(['api', 'cli']);

/** Changes a task: what it will do is seen before it is saved. */
export function EditScreen() {
  const { id } = api.useParams();
  const task = useQuery(get('/v1/tasks/{id}', { path: { id } }));
  return (
    <Page title={task.data ? text.editTitle(task.data.name) : text.edit}>
      <Answer of={task} skeleton={<SkeletonRows rows={10} />}>
        {(described) => <Editor key={id} begun={baseOf(described)} />}
      </Answer>
    </Page>
  );
}

/** Makes a task. */
export function NewTaskScreen() {
  return (
    <Page title={text.newTitle}>
      <Editor begun={null} />
    </Page>
  );
}

function Editor({ begun }: { begun: Base | null }) {
  // What one began with stays, also where somebody saves the task meanwhile: the save says so.
  const [base, setBase] = useState(begun);
  const [blank] = useState(() => newDraft({ nowMs: nowMs(), timeZone: ownZone() }));
  const [draft, setDraft] = useState<Draft | undefined>(base?.definition ?? blank);
  const [view, setView] = useState<'form' | 'json'>('form');
  const [rebases, setRebases] = useState(0);
  const preview = usePreview(base, draft);
  const letGo = useUnsaved(JSON.stringify(draft) !== JSON.stringify(base?.definition ?? blank));
  const onRebase = (theirs: Base) => {
    setDraft((now) => (now && base ? edited(theirs.definition, editsOf(base.definition, now)) : now));
    setBase(theirs);
    // Fields that keep what was typed begin anew.
    setRebases(rebases + 1);
  };
  return (
    <>
      {base && !BY_PEOPLE.has(base.source) ? (
        <Note tone="attention" shape="question" title={text.fromSource(base.source)} />
      ) : null}
      <div className={styles.columns}>
        <div className={styles.column}>
          <Views view={view} onView={setView} />
          {view === 'form' && draft ? (
            <Form key={rebases} draft={draft} isNew={base === null} onDraft={setDraft} />
          ) : (
            <Panel title={text.definition}>
              <JsonView key={rebases} draft={draft} onDraft={setDraft} />
            </Panel>
          )}
        </div>
        <div className={styles.column}>
          <Preview preview={preview.query} draft={draft} />
          <Save base={base} draft={draft} preview={preview} onRebase={onRebase} onSaved={letGo} />
        </div>
      </div>
    </>
  );
}

function Views({ view, onView }: { view: 'form' | 'json'; onView: (view: 'form' | 'json') => void }) {
  return (
    <Chips label={text.views}>
      {(['form', 'json'] as const).map((each) => (
        <Chip key={each} onChoose={() => onView(each)} isChosen={view === each}>
          {text[each]}
        </Chip>
      ))}
    </Chips>
  );
}
