import { Button } from '@mantine/core';
import { useState } from 'react';
import { words } from '../words/index.ts';

/** Copies a text. Also over plain HTTP, where browsers have no clipboard for scripts. */
export function CopyButton({ text, label = words.common.copy }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const onClick = async () => {
    await copyText(text);
    setDone(true);
  };
  return (
    <Button size="compact-sm" variant="default" onClick={() => void onClick()} onBlur={() => setDone(false)}>
      {done ? words.common.copied : label}
    </Button>
  );
}

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
