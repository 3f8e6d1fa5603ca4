import { Select, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { nowMs } from '../../clock.ts';
import { ZoneField } from '../../parts/zone-field.tsx';
import { ownZone } from '../../time/instants.ts';
import { words } from '../../words/index.ts';
import { AmountField } from './amount-field.tsx';
import { type Draft, numberAt, partOf, textAt, withPart } from './draft.ts';
import type { FieldsProps } from './fields-props.ts';
import { newSchedule, type ScheduleKind } from './kinds.ts';
import { localOf, UNIT_NAMES, UNITS, type Unit, unitOf } from './schedule-values.ts';
import styles from './screen.module.css';

const { edit: text } = words;
const KINDS = Object.keys(text.kinds) as ScheduleKind[];

/** When a task runs: the kind of its schedule, and what that asks. */
export function ScheduleFields({ draft, onDraft }: FieldsProps) {
  const kind = textAt(draft, 'schedule', 'kind') || 'manual';
  // Who looks at another kind and comes back finds what was there.
  const kept = useRef(new Map<string, unknown>());
  const choose = (next: ScheduleKind) => {
    const timeZone = textAt(draft, 'schedule', 'timeZone') || ownZone();
    kept.current.set(kind, partOf(draft, ['schedule']));
    const begun = { ...newSchedule(next, { nowMs: nowMs(), timeZone }), ...boundsOf(draft) };
    onDraft(withPart(draft, ['schedule'], kept.current.get(next) ?? begun));
  };
  return (
    <>
      <Select
        label={text.schedule}
        data={KINDS.map((value) => ({ value, label: text.kinds[value] }))}
        value={kind}
        onChange={(value) => {
          const next = KINDS.find((each) => each === value);
          if (next && next !== kind) choose(next);
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
      <OfKind draft={draft} onDraft={onDraft} kind={kind} />
    </>
  );
}

/** What a schedule of any kind may have. */
function boundsOf(draft: Draft): Draft {
  const names = ['startAt', 'endAt', 'maxRuns', 'jitterMs'];
  const given = names.map((name) => [name, partOf(draft, ['schedule', name])] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
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
      return <Span key={kind} ms={numberAt(draft, 'schedule', 'everyMs')} onMs={(ms) => set('everyMs', ms)} />;
    case 'fixed-delay':
      return <Span key={kind} ms={numberAt(draft, 'schedule', 'delayMs')} onMs={(ms) => set('delayMs', ms)} />;
    case 'once':
      return <Once at={textAt(draft, 'schedule', 'at')} onAt={(at) => set('at', at)} />;
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

/** A span as so many of a unit. The unit is the one that was chosen, whatever the number. */
function Span({ ms, onMs }: { ms: number | undefined; onMs: (ms: number | undefined) => void }) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(ms));
  return (
    <div className={styles.pairs}>
      <AmountField label={text.amount} ms={ms} unitMs={UNITS[unit]} required onMs={onMs} key={unit} />
      <Select
        label={text.unit}
        data={UNIT_NAMES.map((value) => ({ value, label: text.units[value] }))}
        value={unit}
        onChange={(value) => {
          const next = UNIT_NAMES.find((each) => each === value) ?? unit;
          setUnit(next);
          if (ms !== undefined) onMs(Math.round((ms / UNITS[unit]) * UNITS[next]));
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
    </div>
  );
}

/** An instant. A browser tells of years of one digit while one types. */
function Once({ at, onAt }: { at: string; onAt: (at: string) => void }) {
  const [typed, setTyped] = useState(() => localOf(at));
  return (
    <TextInput
      type="datetime-local"
      label={text.at(ownZone())}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        const ms = Date.parse(event.currentTarget.value);
        onAt(Number.isNaN(ms) ? '' : new Date(ms).toISOString());
      }}
      required
    />
  );
}
