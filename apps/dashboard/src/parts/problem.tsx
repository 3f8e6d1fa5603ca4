import { Button } from '@mantine/core';
import { PartGone } from '../api/load-part.ts';
import { ApiAway, ApiProblem } from '../api/problem.ts';
import { words } from '../words/index.ts';
import { Note } from './note.tsx';

interface ProblemNoteProps {
  error: unknown;
  /** Tries again. Default: there is no button. */
  onRetry?: (() => void) | undefined;
}

/** An error: what is wrong, what to do, and under which id the server's log has it. */
export function ProblemNote({ error, onRetry }: ProblemNoteProps) {
  const { title, fix, requestId } = problemOf(error);
  const isGone = error instanceof PartGone;
  return (
    <Note
      tone="bad"
      shape="cross"
      title={title}
      role="alert"
      small={requestId ? words.common.request(requestId) : undefined}
      actions={
        onRetry ? (
          <Button size="compact-sm" variant="default" onClick={isGone ? reload : onRetry}>
            {isGone ? words.common.reload : words.common.retry}
          </Button>
        ) : undefined
      }
    >
      {fix ? <span>{fix}</span> : null}
    </Note>
  );
}

function problemOf(error: unknown): { title: string; fix?: string | undefined; requestId?: string } {
  if (error instanceof ApiProblem) {
    const { detail, fix, errors = [], requestId } = error.problem;
    const values = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return { title: detail, fix: [values, fix].filter(Boolean).join('. '), requestId };
  }
  if (error instanceof ApiAway) return { title: words.common.away, fix: words.common.awayFix };
  if (error instanceof PartGone) return { title: words.common.otherVersion, fix: words.common.otherVersionFix };
  return { title: words.common.unexpected, fix: error instanceof Error ? error.message : undefined };
}

function reload(): void {
  window.location.reload();
}
