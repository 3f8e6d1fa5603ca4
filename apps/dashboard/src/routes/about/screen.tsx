import { OPEN_API } from '../../links.ts';
import { Page } from '../../parts/page.tsx';
import { words } from '../../words/index.ts';
import { Doctor } from './doctor.tsx';
import styles from './screen.module.css';
import { Verifications } from './verifications.tsx';
import { Versions } from './versions-panel.tsx';

const { about: text } = words;

/** What runs here, whether it is well, and whether the ledger is whole. */
export function AboutScreen() {
  return (
    <Page title={text.title}>
      <div className={styles.links}>
        <a href={OPEN_API}>{text.openApi}</a>
      </div>
      <Versions />
      <Doctor />
      <Verifications />
    </Page>
  );
}
