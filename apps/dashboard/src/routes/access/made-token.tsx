import { Button, Group } from '@mantine/core';
import type { components } from '../../api/generated/openapi.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

const { access: text } = words;

interface MadeTokenProps {
  name: string;
  made: components['schemas']['TokenMade'];
  onClose: () => void;
}

/** A token, this once. Nothing closes it by mistake, and it is nowhere but here. */
export function MadeToken({ name, made: { token, expiresAt }, onClose }: MadeTokenProps) {
  useUnsaved(true, text.leave);
  return (
    <Dialog onClose={onClose} title={text.made(name)} closeOnClickOutside={false} closeOnEscape={false}>
      <div className={styles.fields}>
        <Note tone="attention" shape="hand" title={text.madeWords} />
        <code className={styles.secret}>{token}</code>
        <span className="quiet">
          {text.ends} {expiresAt === null ? text.never : <Instant at={expiresAt} as="both" />}.
        </span>
        <Group justify="space-between" gap="xs">
          <CopyButton text={token} label={text.copyToken} />
          <Button onClick={onClose}>{text.kept}</Button>
        </Group>
      </div>
    </Dialog>
  );
}
