import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAddWorkItems } from '../../actions/work-lists.ts';
import type { Given } from '../../api/request.ts';
import { CodeField } from '../../parts/code-field.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { words } from '../../words/index.ts';
import { itemsOf } from './lines.ts';

type Items = Given<'post', '/v1/work-items'>['body']['items'];

const { lists: text } = words;

interface AddDialogProps {
  /** Null: one says which. */
  list: string | null;
  onClose: () => void;
  onAdded?: (list: string) => void;
}

/** Adds items to the end of a list, one a line. */
export function AddDialog({ list, onClose, onAdded }: AddDialogProps) {
  const [name, setName] = useState(list ?? '');
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const { mutate, isPending, error } = useAddWorkItems();
  const onDo = (said: Said) => {
    const read = itemsOf(typed);
    if ('wrongLine' in read) return setWrong(text.wrongLine(read.wrongLine));
    if (read.items.length === 0) return setWrong(text.noLines);
    const onSuccess = () => {
      onClose();
      onAdded?.(name);
    };
    mutate({ query: { list: name }, body: { items: read.items as Items, ...said } }, { onSuccess });
  };
  return (
    <ReasonDialog
      title={list === null ? text.addToNew : text.addTo(list)}
      doIt={text.doAdd}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={onDo}
    >
      <Stack gap="sm">
        {list === null ? (
          <TextInput
            label={text.name}
            description={text.nameHelp}
            value={name}
            onChange={(event) => setName(event.currentTarget.value.trim())}
            maxLength={200}
            required
            autoComplete="off"
            spellCheck={false}
          />
        ) : null}
        <CodeField
          label={text.lines}
          description={text.linesHelp}
          value={typed}
          error={wrong}
          onValue={(value) => {
            setTyped(value);
            setWrong(undefined);
          }}
          isRequired
          minRows={5}
          maxRows={16}
        />
      </Stack>
    </ReasonDialog>
  );
}
