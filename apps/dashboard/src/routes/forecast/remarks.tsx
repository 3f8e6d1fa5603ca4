import { Note } from '../../parts/note.tsx';
import { words } from '../../words/index.ts';
import type { Forecast } from './answer.ts';

const { forecast: text } = words;
const NAMED = 10;

/** What one has to know to read the forecast. */
export function Remarks({ forecast }: { forecast: Forecast }) {
  const { clockChanges, unmeasured, untimed, notRun, unplannable } = forecast;
  const names = (of: readonly string[], all: number) => of.slice(0, NAMED).join(', ') + (all > NAMED ? ', …' : '');
  const said = [
    ...(unmeasured.tasks > 0 ? [text.unmeasured(unmeasured.tasks, names(unmeasured.first, unmeasured.tasks))] : []),
    ...(untimed > 0 ? [text.untimed(untimed)] : []),
    ...(notRun.paused > 0 ? [text.paused(notRun.paused)] : []),
    ...(notRun.excluded > 0 ? [text.excluded(notRun.excluded)] : []),
    ...(unplannable.length > 0 ? [text.unplannable(names(unplannable, unplannable.length))] : []),
  ];
  return (
    <>
      {clockChanges.map(({ at, message, fix }) => (
        <Note key={`${at} ${message}`} tone="attention" shape="clock" title={text.clockChange}>
          <span>{message}</span>
          {fix === undefined ? null : <span className="quiet">{fix}</span>}
        </Note>
      ))}
      {said.length === 0 ? null : (
        <Note tone="waiting" shape="question" title={text.remarks}>
          {said.map((one) => (
            <span key={one}>{one}</span>
          ))}
        </Note>
      )}
    </>
  );
}
