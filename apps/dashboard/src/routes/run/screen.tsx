import { Page } from '../../parts/page.tsx';
import { words } from '../../words/index.ts';
export function RunScreen() {
  return <Page title={words.runs.title}>{null}</Page>;
}
