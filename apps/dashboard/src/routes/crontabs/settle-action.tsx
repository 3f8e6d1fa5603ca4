import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useSettleCutover } from '../../actions/crontabs.ts';
import { nowMs } from '../../clock.ts';
import { useMay } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Chip, Chips } from '../../parts/chips.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import type { Line } from './crontab.ts';

type Cutover = NonNullable<Line['cutover']>;
type Answer = NonNullable<Cutover['settled']>;

const ANSWERS = ['taken', 'refused'] as const satisfies readonly Answer[];

const { crontabs: text, common } = words;

/** Answers a cut-over in the place of a host that will not. */
export function SettleAction({ line, cutover }: { line: Line; cutover: Cutover }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayEdit = useMay('edit');
  return (
    <>
      <ActionButton
        words={text.settle(cutover.host)}
        whyNot={mayEdit ? null : common.notAllowed('edit')}
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <SettleDialog line={line} cutover={cutover} onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function SettleDialog({ line, cutover, onClose }: { line: Line; cutover: Cutover; onClose: () => void }) {
  const { host } = cutover;
  const [answer, setAnswer] = useState<Answer | null>(null);
  const { mutate, isPending, error } = useSettleCutover();
  return (
    <ReasonDialog
      title={text.settleTitle(host, line.task)}
      doIt={text.doSettle}
      isReady={answer !== null}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => answer && mutate({ path: { line: line.id }, body: { answer, ...said } }, { onSuccess: onClose })}
    >
      <Stack gap="sm">
        <p>{text.settleWords(host)}</p>
        <Chips label={text.settleTitle(host, line.task)}>
          {ANSWERS.map((each) => (
            <Chip key={each} isChosen={each === answer} onChoose={() => setAnswer(each)}>
              {text.answers[each]}
            </Chip>
          ))}
        </Chips>
        {answer === null ? null : <Effect cutover={cutover} answer={answer} />}
      </Stack>
    </ReasonDialog>
  );
}

/** Who runs the line then, and what becomes of what is held. */
function Effect({ cutover: { to, at }, answer }: { cutover: Cutover; answer: Answer }) {
  const isPast = Date.parse(at) <= nowMs();
  const other = to === 'fleet' ? 'cron' : 'fleet';
  return (
    <p>
      {answer === 'taken' ? (
        <>
          {text.runsFrom(to)} <Instant at={at} as="both" />.
        </>
      ) : (
        text.goesOn(other)
      )}
      {isPast ? ` ${text.held(answer === 'taken' ? to : other)}` : null}
    </p>
  );
}
