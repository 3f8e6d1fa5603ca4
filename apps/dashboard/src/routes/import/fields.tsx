import { FileButton, Switch, Textarea, TextInput } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { ActionButton } from '../../parts/action-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PoolField } from '../../parts/pool-field.tsx';
import { ZoneField } from '../../parts/zone-field.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import type { Crontab } from './use-crontab.ts';

const { imports: text } = words;
/** What the API takes at most. */
const MAX_BYTES = 15 * 1024 * 1024;

interface FieldsProps {
  crontab: Crontab;
  onCrontab: (crontab: Crontab) => void;
}

/** The crontab, pasted, chosen or dropped, and how it is read. */
export function Fields({ crontab, onCrontab }: FieldsProps) {
  const set = (change: Partial<Crontab>) => onCrontab({ ...crontab, ...change });
  const { take, refused } = useFile((read) => set(read));
  return (
    <Panel
      title={text.file}
      actions={
        <FileButton onChange={(file) => void take(file)}>
          {({ onClick }) => <ActionButton words={text.choose} whyNot={null} onClick={onClick} />}
        </FileButton>
      }
    >
      <div className={styles.fields}>
        <Textarea
          label={text.text}
          description={text.textHint}
          classNames={{ input: styles.crontab ?? '' }}
          value={crontab.text}
          onChange={(event) => set({ text: event.currentTarget.value })}
          onDragOver={(event: DragEvent) => event.preventDefault()}
          onDrop={(event: DragEvent) => {
            const [file] = event.dataTransfer.files;
            // What is no file, as a piece of text, goes where it is dropped.
            if (!file) return;
            event.preventDefault();
            void take(file);
          }}
          autosize
          minRows={8}
          maxRows={20}
          spellCheck={false}
          error={refused}
        />
        <TextInput
          label={text.name}
          description={text.nameHint}
          value={crontab.name}
          maxLength={200}
          onChange={(event) => set({ name: event.currentTarget.value })}
          required
        />
        <ZoneField zone={crontab.timeZone} onZone={(timeZone) => set({ timeZone })} />
        <PoolField label={words.common.pool} pool={crontab.pool} onPool={(pool) => set({ pool })} />
        <Switch
          label={text.system}
          description={text.systemHint}
          checked={crontab.system}
          onChange={(event) => set({ system: event.currentTarget.checked })}
        />
      </div>
    </Panel>
  );
}

function useFile(onRead: (read: Pick<Crontab, 'text' | 'name'>) => void) {
  const [refused, setRefused] = useState<string | null>(null);
  async function take(file: File | null | undefined): Promise<void> {
    if (!file) return;
    const why = file.size > MAX_BYTES ? text.tooLarge(file.name) : null;
    setRefused(why);
    if (why !== null) return;
    try {
      const read = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
      onRead({ text: read, name: file.name });
    } catch {
      setRefused(text.unreadable(file.name));
    }
  }
  return { take, refused };
}
