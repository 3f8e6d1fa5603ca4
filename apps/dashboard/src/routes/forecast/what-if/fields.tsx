import { NumberInput, Select, TextInput } from '@mantine/core';
import { TaskField } from '../../../parts/task-field.tsx';
import { words } from '../../../words/index.ts';
import { type Asked, OVERS, type Policy } from './asked.ts';
import styles from './what-if.module.css';

const { whatIf: text, task } = words;
const POLICIES = Object.keys(task.overlaps) as Policy[];
const MOST_AT_ONCE = 1000;

interface FieldsProps {
  name: string;
  onName: (name: string) => void;
  asked: Asked;
  onAsked: (part: Partial<Asked>) => void;
}

/** Of which task, and what would be another way. */
export function Fields({ name, onName, asked, onAsked }: FieldsProps) {
  return (
    <div className={styles.fields}>
      <TaskField task={name} onTask={onName} />
      <TextInput
        label={text.expression}
        description={text.expressionHelp}
        inputWrapperOrder={['label', 'input', 'description']}
        value={asked.expression}
        onChange={(event) => onAsked({ expression: event.currentTarget.value })}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
      />
      <Select
        label={text.overlap}
        placeholder={text.asItIs}
        data={POLICIES.map((value) => ({ value, label: task.overlaps[value] }))}
        value={asked.policy}
        onChange={(value) => onAsked({ policy: POLICIES.find((each) => each === value) ?? null })}
        clearable
        clearButtonProps={{ 'aria-label': text.asItIs }}
        withScrollArea={false}
      />
      <NumberInput
        label={text.limit}
        placeholder={text.asItIs}
        value={asked.limit}
        onChange={(limit) => onAsked({ limit })}
        min={1}
        max={MOST_AT_ONCE}
        allowDecimal={false}
      />
      <Select
        label={text.over}
        data={OVERS.map((value) => ({ value, label: text.overs[value] }))}
        value={asked.over}
        onChange={(value) => onAsked({ over: OVERS.find((each) => each === value) ?? '30' })}
        allowDeselect={false}
        withScrollArea={false}
      />
    </div>
  );
}
