import { Link } from '@tanstack/react-router';
import { toRuns, toTasks } from '../../links.ts';
import { Empty } from '../../parts/note.tsx';
import { words } from '../../words/index.ts';

const { recovery: text } = words;

/** What would be here, and how it gets here. */
export function None() {
  return (
    <Empty title={text.none}>
      <span>{text.noneWords}</span>
      <span>
        {text.noneFix} <Link {...toTasks()}>{text.noneTasks}</Link>
      </span>
      <span>
        {text.noneOthers} <Link {...toRuns('state:missed since:-24h')}>{text.noneMissed}</Link>
      </span>
    </Empty>
  );
}
