import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { Panel } from '../../parts/panel.tsx';
import { ZoneField } from '../../parts/zone-field.tsx';
import { words } from '../../words/index.ts';
import { type Draft, textAt, withPart } from '../edit/draft.ts';
import { entriesOf, withEntries, wrongAt } from './calendar-draft.ts';
import { EntryFields } from './entry-fields.tsx';
import styles from './screen.module.css';

const { calendars: text } = words;

interface FormProps {
  draft: Draft;
  problem: Problem | undefined;
  onDraft: (draft: Draft) => void;
}

/** A calendar, field by field. */
export function Form({ draft, problem, onDraft }: FormProps) {
  return (
    <>
      <Panel title={text.about}>
        <div className={styles.fields}>
          <TextInput
            label={text.description}
            value={textAt(draft, 'description')}
            error={wrongAt(problem, 'definition.description')}
            onChange={(event) => onDraft(withPart(draft, ['description'], event.currentTarget.value || undefined))}
            maxLength={1000}
          />
          <ZoneField
            zone={textAt(draft, 'timeZone')}
            onZone={(timeZone) => onDraft(withPart(draft, ['timeZone'], timeZone))}
          />
        </div>
      </Panel>
      <Panel title={text.entries}>
        <Entries draft={draft} problem={problem} onDraft={onDraft} />
      </Panel>
    </>
  );
}

function Entries({ draft, problem, onDraft }: FormProps) {
  const entries = entriesOf(draft);
  // Fields keep what is typed: each entry is known by a number of its own.
  const [ids, setIds] = useState(() => entries.map((_, index) => index));
  const change = (next: readonly Draft[]) => onDraft(withEntries(draft, next));
  const add = () => {
    setIds([...ids, Math.max(-1, ...ids) + 1]);
    change([...entries, {}]);
  };
  const remove = (index: number) => {
    setIds(ids.filter((_, each) => each !== index));
    change(entries.filter((_, each) => each !== index));
  };
  return (
    <div className={styles.fields}>
      <p className="quiet">{text.entryHelp}</p>
      {entries.map((entry, index) => (
        <EntryFields
          key={ids[index]}
          entry={entry}
          index={index}
          problem={problem}
          onEntry={(next) => change(entries.map((each, at) => (at === index ? next : each)))}
          onRemove={() => remove(index)}
        />
      ))}
      <div>
        <Button variant="default" onClick={add}>
          {text.addEntry}
        </Button>
      </div>
    </div>
  );
}
