import { Link } from '@tanstack/react-router';
import { toImport } from '../../links.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Empty } from '../../parts/note.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

const { crontabs: text } = words;

/** The commands to begin with, with the address of this server. */
export function None() {
  const commands = [
    `escapement login ${location.origin}`,
    'sudo escapement shadow patch-host',
    'sudo escapement import host --shadow --write',
  ].join('\n');
  return (
    <Empty title={text.none}>
      <span>{text.noneWords}</span>
      <pre className={styles.commands}>{commands}</pre>
      <CopyButton text={commands} />
      <span>
        {text.noneFix} <Link {...toImport()}>{text.noneGuide}</Link>
      </span>
    </Empty>
  );
}
