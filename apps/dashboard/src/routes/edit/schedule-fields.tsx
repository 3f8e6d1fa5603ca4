import { NumberInput, Select, TextInput } from '@mantine/core';
import { nowMs } from '../../clock.ts';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import { numberAt, textAt, withPart } from './draft.ts';
import type { FieldsProps } from './form.tsx';
import { newSchedule, SCHEDULE_KINDS } from './kinds.ts';
import { localOf, UNITS, type Unit, unitOf } from './schedule-values.ts';
import styles from './screen.module.css';
import { ZoneField } from './zone-field.tsx';

const { edit: text } = words;

/** When a task runs: the kind of its schedule, and what that asks. */
export function ScheduleFields({ draft, onDraft }: FieldsProps) {
  const kind = textAt(draft, 'schedule', 'kind') || 'manual';
  return (
    <>
      <Select
        label={text.schedule}
        data={SCHEDULE_KINDS.map((value) => ({ value, label: text.kinds[value] }))}
        value={kind}
        onChange={(value) => {
          const next = SCHEDULE_KINDS.find((each) => each === value);
          const timeZone = textAt(draft, 'schedule', 'timeZone') || ownZone();
          if (next && next !== kind)
            onDraft(withPart(draft, ['schedule'], newSchedule(next, { nowMs: nowMs(), timeZone })));
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
      <OfKind draft={draft} onDraft={onDraft} kind={kind} />
    </>
  );
}

function OfKind({ draft, onDraft, kind }: FieldsProps & { kind: string }) {
  const set = (name: string, value: unknown) => onDraft(withPart(draft, ['schedule', name], value));
  const field = (name: string, label: string, help?: string) => (
    <TextInput
      label={label}
      description={help}
      value={textAt(draft, 'schedule', name)}
      onChange={(event) => set(name, event.currentTarget.value)}
      required
      spellCheck={false}
      autoComplete="off"
    />
  );
  const zone = (
    <ZoneField zone={textAt(draft, 'schedule', 'timeZone')} onZone={(timeZone) => set('timeZone', timeZone)} />
  );
  switch (kind) {
    case 'cron':
      return (
        <>
          {field('expression', text.expression, text.expressionHelp)}
          {zone}
        </>
      );
    case 'every':
      return <Span ms={numberAt(draft, 'schedule', 'everyMs')} onMs={(ms) => set('everyMs', ms)} />;
    case 'fixed-delay':
      return <Span ms={numberAt(draft, 'schedule', 'delayMs')} onMs={(ms) => set('delayMs', ms)} />;
    case 'once':
      return (
        <TextInput
          type="datetime-local"
          label={text.at(ownZone())}
          value={localOf(textAt(draft, 'schedule', 'at'))}
          onChange={(event) => {
            const ms = Date.parse(event.currentTarget.value);
            if (!Number.isNaN(ms)) set('at', new Date(ms).toISOString());
          }}
          required
        />
      );
    case 'rrule':
      return (
        <>
          {field('rule', text.rule)}
          {field('dtStart', text.dtStart)}
          {zone}
        </>
      );
    default:
      return null;
  }
}

/** A span as so many of a unit. */
function Span({ ms, onMs }: { ms: number | undefined; onMs: (ms: number | undefined) => void }) {
  const unit = unitOf(ms);
  const amount = ms === undefined ? '' : ms / UNITS[unit];
  return (
    <div className={styles.pairs}>
      <NumberInput
        label={text.amount}
        value={amount}
        onChange={(value) => onMs(typeof value === 'number' ? Math.round(value * UNITS[unit]) : undefined)}
        min={1}
        required
      />
      <Select
        label={text.unit}
        data={Object.keys(UNITS).map((value) => ({ value, label: text.units[value as Unit] }))}
        value={unit}
        onChange={(value) => onMs((typeof amount === 'number' ? amount : 1) * UNITS[(value ?? 'h') as Unit])}
        allowDeselect={false}
        withScrollArea={false}
      />
    </div>
  );
}
