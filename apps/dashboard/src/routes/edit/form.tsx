import { NumberInput, Select, TextInput } from '@mantine/core';
import { Panel } from '../../parts/panel.tsx';
import { PoolField } from '../../parts/pool-field.tsx';
import { SECOND } from '../../time/durations.ts';
import { words } from '../../words/index.ts';
import { AmountField } from './amount-field.tsx';
import { type Draft, numberAt, partOf, textAt, withPart } from './draft.ts';
import type { FieldsProps } from './fields-props.ts';
import { HandlerFields } from './handler-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import styles from './screen.module.css';

const { edit: text, task: taskWords } = words;
const OVERLAPS = Object.entries(taskWords.overlaps).map(([value, label]) => ({ value, label }));

/** The parts of a definition that are changed most. All of it is in the other view. */
export function Form({ draft, isNew, onDraft }: FieldsProps & { isNew: boolean }) {
  return (
    <>
      <Panel title={text.what}>
        <div className={styles.fields}>
          {isNew ? (
            <TextInput
              label={text.name}
              value={textAt(draft, 'name')}
              onChange={(event) => onDraft(withPart(draft, ['name'], event.currentTarget.value))}
              maxLength={200}
              required
              autoComplete="off"
            />
          ) : null}
          <TextInput
            label={text.description}
            value={textAt(draft, 'description')}
            onChange={(event) => onDraft(withPart(draft, ['description'], event.currentTarget.value || undefined))}
            maxLength={1000}
          />
          <HandlerFields draft={draft} onDraft={onDraft} />
        </div>
      </Panel>
      <Panel title={text.when}>
        <div className={styles.fields}>
          <ScheduleFields draft={draft} onDraft={onDraft} />
        </div>
      </Panel>
      <Panel title={text.rules}>
        <RuleFields draft={draft} onDraft={onDraft} />
      </Panel>
    </>
  );
}

function RuleFields({ draft, onDraft }: FieldsProps) {
  const set = (path: string[], value: unknown) => onDraft(withPart(draft, path, value));
  const whole = (value: number | string) => (typeof value === 'number' ? value : undefined);
  return (
    <div className={styles.pairs}>
      <TextInput
        label={text.key}
        title={text.keyHelp}
        placeholder={textAt(draft, 'name')}
        value={textAt(draft, 'key')}
        onChange={(event) => set(['key'], event.currentTarget.value || undefined)}
      />
      <NumberInput
        label={text.limit}
        placeholder="1"
        value={numberAt(draft, 'limit') ?? ''}
        onChange={(value) => set(['limit'], whole(value))}
        min={1}
        allowDecimal={false}
      />
      <Select
        label={text.overlap}
        placeholder={text.usual}
        data={OVERLAPS}
        value={textAt(draft, 'overlap', 'policy') || null}
        onChange={(policy) => set(['overlap'], policy === null ? undefined : overlapOf(draft, policy))}
        clearable
        withScrollArea={false}
      />
      <AmountField
        label={text.timeout}
        placeholder={text.usual}
        ms={numberAt(draft, 'timeoutMs')}
        unitMs={SECOND}
        onMs={(timeoutMs) => set(['timeoutMs'], timeoutMs)}
      />
      <NumberInput
        label={text.attempts}
        placeholder={text.usual}
        value={numberAt(draft, 'retry', 'maxAttempts') ?? ''}
        onChange={(value) => set(['retry'], retryOf(draft, whole(value)))}
        min={1}
        allowDecimal={false}
      />
      <PoolField
        label={text.pool}
        pool={textAt(draft, 'pool') || null}
        onPool={(pool) => set(['pool'], pool ?? undefined)}
      />
    </div>
  );
}

/** Without a number of tries there is no rule of them. */
function retryOf(draft: Draft, maxAttempts: number | undefined): unknown {
  if (maxAttempts === undefined) return undefined;
  return partOf(withPart(draft, ['retry', 'maxAttempts'], maxAttempts), ['retry']);
}

/** What a policy has beside its name is not that of another one. */
function overlapOf(draft: Draft, policy: string): unknown {
  const old = partOf(draft, ['overlap']);
  return textAt(draft, 'overlap', 'policy') === policy ? old : { policy };
}
