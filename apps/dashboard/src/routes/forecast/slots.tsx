import { Button, NumberInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { Answer } from '../../parts/answer.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Slot = components['schemas']['QuietSlots']['slots'][number];

const { forecast: text } = words;
const { slot: heads } = text;
const USUAL_MINUTES = 15;
const DAY_MINUTES = 1440;
const TYPING_MS = 400;
/** The quietest come first: a day of them is asked for. */
const SHOWN = 12;

const COLUMNS: readonly Column<Slot>[] = [
  { head: heads.time, cell: ({ time }) => time },
  { head: heads.usual, isNumber: true, cell: ({ p50 }) => p50.toLocaleString('en') },
  { head: heads.most, isNumber: true, cell: ({ p95 }) => p95.toLocaleString('en') },
  { head: heads.starts, isNumber: true, cell: ({ starts }) => starts.toLocaleString('en') },
  { head: heads.expression, cell: ({ expression }) => <code>{expression}</code> },
];

/** Times of day at which something new would meet the least. */
export function Slots({ pool, zone }: { pool: string | undefined; zone: string }) {
  const [typed, setTyped] = useState<number | string>(USUAL_MINUTES);
  const [minutes] = useDebouncedValue(typed, TYPING_MS);
  const asked = typeof minutes === 'number' && minutes >= 1 && minutes <= DAY_MINUTES ? minutes : USUAL_MINUTES;
  const query = { minutes: asked, timeZone: zone, ...(pool === undefined ? {} : { pool }) };
  const slots = useQuery({ ...get('/v1/forecast/slots', { query }), placeholderData: (before) => before });
  return (
    <Panel title={text.slots} note={text.slotsNote(zone)} flush>
      <div className={styles.minutes}>
        <NumberInput
          label={text.minutes}
          value={typed}
          onChange={setTyped}
          min={1}
          max={DAY_MINUTES}
          allowDecimal={false}
          hideControls
          w={280}
        />
      </div>
      <Answer of={slots} skeleton={<SkeletonRows rows={5} />}>
        {({ slots: found }) => <Found slots={found} />}
      </Answer>
    </Panel>
  );
}

function Found({ slots }: { slots: readonly Slot[] }) {
  const [areAll, setAreAll] = useState(false);
  const shown = areAll ? slots : slots.slice(0, SHOWN);
  return (
    <>
      <DataTable label={text.slots} columns={COLUMNS} rows={shown} keyOf={({ time }) => time} />
      {shown.length === slots.length ? null : (
        <div className={styles.minutes}>
          <Button variant="default" size="compact-sm" onClick={() => setAreAll(true)}>
            {text.slotsMore(slots.length - shown.length)}
          </Button>
        </div>
      )}
    </>
  );
}
