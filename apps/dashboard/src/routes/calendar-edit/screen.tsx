import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { get } from '../../api/get.ts';
import { ApiProblem } from '../../api/problem.ts';
import { nowMs } from '../../clock.ts';
import { Answer } from '../../parts/answer.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { dateIn } from '../../time/dates.ts';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import type { Calendar } from '../calendar/answer.ts';
import { type Draft, textAt } from '../edit/draft.ts';
import { JsonView } from '../edit/json-view.tsx';
import { newCalendar, wrongAt } from './calendar-draft.ts';
import { Form } from './form.tsx';
import { Preview } from './preview.tsx';
import { Save } from './save.tsx';
import styles from './screen.module.css';
import { useCalendarPreview } from './use-calendar-preview.ts';

const api = getRouteApi('/signed-in/calendars/$name/edit');
const { calendars: text, edit } = words;

/** Changes a calendar: what it will exclude is seen before it is saved. */
export function EditCalendarScreen() {
  const { name } = api.useParams();
  const calendar = useQuery(get('/v1/calendars/{name}', { path: { name } }));
  return (
    <Page title={text.editTitle(name)}>
      <Answer of={calendar} skeleton={<SkeletonRows rows={10} />}>
        {(found) => <Editor key={name} now={found} />}
      </Answer>
    </Page>
  );
}

/** Makes a calendar. */
export function NewCalendarScreen() {
  return (
    <Page title={text.newTitle}>
      <Editor now={null} />
    </Page>
  );
}

function Editor({ now }: { now: Calendar | null }) {
  // What one began with stays, also where somebody saves it meanwhile: that is said.
  const [base] = useState(now);
  const [blank] = useState(() => newCalendar(ownZone()));
  const [begun] = useState<Draft>(() => (base ? { ...base.definition } : blank));
  const [name, setName] = useState(base?.name ?? '');
  const [draft, setDraft] = useState<Draft | undefined>(begun);
  const [view, setView] = useState<'form' | 'json'>('form');
  const [year, setYear] = useState(() => Number(dateIn('UTC', nowMs()).slice(0, 4)));
  const preview = useCalendarPreview({ name, draft, year });
  const isChanged = base === null || JSON.stringify(draft) !== JSON.stringify(begun);
  const letGo = useUnsaved(base ? isChanged : name !== '' || draft !== begun);
  const all = useQuery({ ...get('/v1/calendars'), enabled: base === null });
  const taken = base === null ? all.data?.items.find((each) => each.name === name) : undefined;
  const { error } = preview.query;
  const problem = error instanceof ApiProblem ? error.problem : undefined;
  return (
    <>
      <Others base={base} now={now} isTaken={taken !== undefined} />
      <div className={styles.columns}>
        <div className={styles.column}>
          {base ? null : (
            <Panel title={text.name}>
              <TextInput
                aria-label={text.name}
                description={text.nameHelp}
                value={name}
                error={wrongAt(problem, 'name')}
                onChange={(event) => setName(event.currentTarget.value.trim())}
                maxLength={100}
                required
                autoComplete="off"
                spellCheck={false}
              />
            </Panel>
          )}
          <Chips label={edit.views}>
            {(['form', 'json'] as const).map((each) => (
              <Chip key={each} onChoose={() => setView(each)} isChosen={view === each}>
                {edit[each]}
              </Chip>
            ))}
          </Chips>
          {view === 'form' && draft ? (
            <Form draft={draft} problem={problem} onDraft={setDraft} />
          ) : (
            <Panel title={edit.definition}>
              <JsonView draft={draft} onDraft={setDraft} />
            </Panel>
          )}
        </div>
        <div className={styles.column}>
          <Preview
            preview={preview}
            saved={base?.name ?? null}
            isNamed={name !== ''}
            zone={zoneIn(draft)}
            year={year}
            onYear={setYear}
          />
          <Save
            name={name}
            draft={draft}
            isNew={base === null}
            replaces={(base ? now : taken)?.version ?? 0}
            isChanged={isChanged}
            preview={preview}
            onSaved={letGo}
          />
        </div>
      </div>
    </>
  );
}

/** What a save would replace: a version that one has not seen, or a calendar of the same name. */
function Others({ base, now, isTaken }: { base: Calendar | null; now: Calendar | null; isTaken: boolean }) {
  if (base && now && now.version !== base.version)
    return (
      <Note tone="attention" shape="hand" title={text.savedSince(now.version, now.savedBy)} role="status">
        {text.savedSinceFix}
      </Note>
    );
  return isTaken ? <Note tone="attention" shape="hand" title={text.taken} role="status" /> : null;
}

/** Of a zone that is being typed nobody knows the day. */
function zoneIn(draft: Draft | undefined): string {
  const zone = draft ? textAt(draft, 'timeZone') : '';
  return Intl.supportedValuesOf('timeZone').includes(zone) ? zone : 'UTC';
}
