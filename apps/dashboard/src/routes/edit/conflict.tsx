import { Button } from '@mantine/core';
import type { Problem } from '../../api/problem.ts';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/index.ts';

const { edit: text } = words;

/** A save would do something else than was previewed: what others have changed, and what it would do now. */
export function Conflict({ problem: { detail, outdated }, onAgain }: { problem: Problem; onAgain: () => void }) {
  const since = outdated?.since ?? null;
  const now = outdated?.now ?? null;
  return (
    <Note
      tone="attention"
      shape="hand"
      title={text.conflict}
      role="alert"
      actions={
        <Button size="compact-sm" variant="default" onClick={onAgain}>
          {text.again}
        </Button>
      }
    >
      <span>{detail}</span>
      {since === null ? null : <span>{text.conflictSince(since.changed)}</span>}
      {now === null ? <span>{text.conflictGone}</span> : <span>{text.conflictWords(now.meaning)}</span>}
    </Note>
  );
}
