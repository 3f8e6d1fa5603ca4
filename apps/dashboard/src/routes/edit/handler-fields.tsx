import { Select, Textarea, TextInput } from '@mantine/core';
import { useRef } from 'react';
import { words } from '../../words/index.ts';
import { type Draft, partOf, textAt, withPart } from './draft.ts';
import type { FieldsProps } from './fields-props.ts';
import { type HandlerType, newHandler } from './kinds.ts';
import styles from './screen.module.css';

const { edit: text } = words;
const TYPES = Object.keys(text.handlers) as HandlerType[];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What a task runs. */
export function HandlerFields({ draft, onDraft }: FieldsProps) {
  const type = textAt(draft, 'handler', 'type');
  // Who looks at another type and comes back finds what was there.
  const kept = useRef(new Map<string, unknown>());
  const choose = (next: HandlerType) => {
    kept.current.set(type, partOf(draft, ['handler']));
    onDraft(withPart(draft, ['handler'], kept.current.get(next) ?? newHandler(next)));
  };
  return (
    <>
      <Select
        label={text.handler}
        data={TYPES.map((value) => ({ value, label: text.handlers[value] }))}
        value={type || null}
        onChange={(value) => {
          const next = TYPES.find((each) => each === value);
          if (next && next !== type) choose(next);
        }}
        allowDeselect={false}
        withScrollArea={false}
      />
      <OfType draft={draft} onDraft={onDraft} type={type} />
    </>
  );
}

function OfType({ draft, onDraft, type }: FieldsProps & { type: string }) {
  const set = (name: string, value: string) => onDraft(withPart(draft, ['handler', name], value));
  switch (type) {
    case 'shell':
      return <Command draft={draft} onCommand={(command) => set('command', command)} />;
    case 'http':
      return (
        <div className={styles.request}>
          <Select
            label={text.method}
            data={METHODS}
            value={
              textAt(draft, 'handler', 'method') || (partOf(draft, ['handler', 'body']) === undefined ? 'GET' : 'POST')
            }
            onChange={(method) => set('method', method ?? 'GET')}
            allowDeselect={false}
            withScrollArea={false}
          />
          <TextInput
            label={text.url}
            type="url"
            value={textAt(draft, 'handler', 'url')}
            onChange={(event) => set('url', event.currentTarget.value)}
            required
            spellCheck={false}
          />
        </div>
      );
    case 'code':
      return (
        <TextInput
          label={text.code}
          value={textAt(draft, 'handler', 'name')}
          onChange={(event) => set('name', event.currentTarget.value)}
          required
          spellCheck={false}
        />
      );
    default:
      return null;
  }
}

function Command({ draft, onCommand }: { draft: Draft; onCommand: (command: string) => void }) {
  if (partOf(draft, ['handler', 'argv']) !== undefined) return <p className="quiet">{text.argv}</p>;
  return (
    <Textarea
      label={text.command}
      value={textAt(draft, 'handler', 'command')}
      onChange={(event) => onCommand(event.currentTarget.value)}
      rows={2}
      required
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--font-code)' } }}
    />
  );
}
