import { Button, TextInput } from '@mantine/core';
import type { Problem } from '../../api/problem.ts';
import { Chip, Chips } from '../../parts/chips.tsx';
import { words } from '../../words/index.ts';
import { type Draft, textAt, withPart } from '../edit/draft.ts';
import { textsAt, wrongAt, wrongWith } from './calendar-draft.ts';
import { ListField } from './list-field.tsx';
import styles from './screen.module.css';

const { calendars: text } = words;
const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

interface EntryFieldsProps {
  entry: Draft;
  /** Counted from 0. */
  index: number;
  problem: Problem | undefined;
  onEntry: (entry: Draft) => void;
  onRemove: () => void;
}

/** The fields of an entry. */
export function EntryFields({ entry, index, problem, onEntry, onRemove }: EntryFieldsProps) {
  const place = `definition.entries.${index}`;
  const set = (name: string, value: unknown) => onEntry(withPart(entry, [name], value));
  const wrong = wrongWith(problem, place);
  const field = (name: 'name' | 'from' | 'to', label: string, description?: string) => (
    <TextInput
      label={label}
      description={description}
      value={textAt(entry, name)}
      error={wrongAt(problem, `${place}.${name}`)}
      onChange={(event) => set(name, event.currentTarget.value || undefined)}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
    />
  );
  const list = (name: 'dates' | 'hours', label: string, description: string) => (
    <ListField
      label={label}
      description={description}
      texts={textsAt(entry, name)}
      error={wrongAt(problem, `${place}.${name}`)}
      onTexts={(texts) => set(name, texts)}
    />
  );
  return (
    <fieldset className={styles.entry}>
      <legend>{text.entry(index + 1)}</legend>
      {field('name', text.entryName)}
      <Weekdays entry={entry} onWeekdays={(weekdays) => set('weekdays', weekdays)} />
      {list('dates', text.dates, text.datesHelp)}
      <div className={styles.pairs}>
        {field('from', text.from)}
        {field('to', text.to)}
      </div>
      {list('hours', text.hours, text.hoursHelp)}
      {wrong === undefined ? null : (
        <p className={styles.wrong} role="alert">
          {wrong}
        </p>
      )}
      <div>
        <Button size="compact-sm" variant="default" aria-label={text.removeEntry(index + 1)} onClick={onRemove}>
          {text.removeShort}
        </Button>
      </div>
    </fieldset>
  );
}

function Weekdays({ entry, onWeekdays }: { entry: Draft; onWeekdays: (weekdays: string[] | undefined) => void }) {
  const chosen = textsAt(entry, 'weekdays');
  const toggle = (day: string) => {
    const next = chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day];
    onWeekdays(next.length === 0 ? undefined : next);
  };
  return (
    <div>
      <span className={styles.label} aria-hidden="true">
        {text.weekdaysLabel}
      </span>
      <Chips label={text.weekdaysLabel}>
        {WEEKDAYS.map((day, index) => (
          <Chip key={day} onChoose={() => toggle(day)} isChosen={chosen.includes(day)}>
            {text.weekdays[index]}
          </Chip>
        ))}
      </Chips>
    </div>
  );
}
