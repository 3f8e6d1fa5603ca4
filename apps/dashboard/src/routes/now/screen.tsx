import { Page } from '../../parts/page.tsx';
import { words } from '../../words/index.ts';
export function NowScreen() {
  return <Page title={words.now.title}>{null}</Page>;
}
