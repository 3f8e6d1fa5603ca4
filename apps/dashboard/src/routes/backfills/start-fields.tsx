import { NumberInput, Select, TextInput } from '@mantine/core';
import { TaskField } from '../../parts/task-field.tsx';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import { type Draft, REPROCESS } from './draft.ts';
import styles from './screen.module.css';

const { backfills: text } = words;
const MOST_AT_ONCE = 1000;
const ORDERS = ['oldest', 'newest'] as const;

interface StartFieldsProps {
  draft: Draft;
  onDraft: (part: Partial<Draft>) => void;
}

/** Of which task, over which time, which occurrences, how many at once, and in which order. */
export default function StartFields({ draft, onDraft }: StartFieldsProps) {
  const zone = ownZone();
  return (
    <>
      <TaskField task={draft.task} onTask={(task) => onDraft({ task })} />
      <TextInput
        type="datetime-local"
        label={text.from(zone)}
        value={draft.from}
        onChange={(event) => onDraft({ from: event.currentTarget.value })}
        required
      />
      <TextInput
        type="datetime-local"
        label={text.to(zone)}
        description={text.toHint}
        inputWrapperOrder={['label', 'input', 'description']}
        value={draft.to}
        onChange={(event) => onDraft({ to: event.currentTarget.value })}
      />
      <Select
        label={text.reprocess}
        data={REPROCESS.map((value) => ({ value, label: text.reprocesses[value] }))}
        value={draft.reprocess}
        onChange={(value) => onDraft({ reprocess: REPROCESS.find((each) => each === value) ?? 'none' })}
        allowDeselect={false}
        withScrollArea={false}
      />
      <div className={styles.pair}>
        <NumberInput
          label={text.concurrency}
          value={draft.concurrency}
          onChange={(concurrency) => onDraft({ concurrency })}
          min={1}
          max={MOST_AT_ONCE}
          allowDecimal={false}
        />
        <Select
          label={text.order}
          data={ORDERS.map((value) => ({ value, label: text.orders[value] }))}
          value={draft.reverse ? 'newest' : 'oldest'}
          onChange={(value) => onDraft({ reverse: value === 'newest' })}
          allowDeselect={false}
          withScrollArea={false}
        />
      </div>
    </>
  );
}
