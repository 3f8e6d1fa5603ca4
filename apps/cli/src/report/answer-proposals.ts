import type { Clock } from '@escapement/core';
import { answerProposal, type HostAnswer, type Proposal } from '@escapement/core/shadow';
import type { LineFiles } from './line-files.ts';

/**
 * What this host says to cut-overs that are proposed. Each answer is in its file before it is given, and stays what it is. What cannot be written is
 * not answered.
 */
export function answerProposals(files: LineFiles, proposals: readonly Proposal[], clock: Clock): HostAnswer[] {
  return proposals.map((proposal) => {
    const known = files.answers(proposal.line);
    const answer = answerProposal(known, proposal, clock.now());
    if (known.includes(answer)) return answer;
    // The mark is there before the answer is: whoever reads only the mark does not run what the fleet runs.
    files.markSide(proposal.line, [...known, answer], clock.now());
    files.keepAnswers(proposal.line, [...known, answer]);
    if (answer.answer === 'refused' || clock.now() < proposal.at) return answer;
    // This process was asleep: a start may have come before the file.
    const refused: HostAnswer = { ...answer, answer: 'refused', answeredAt: clock.now() };
    files.keepAnswers(proposal.line, [...known, refused]);
    files.markSide(proposal.line, [...known, refused], clock.now());
    return refused;
  });
}
