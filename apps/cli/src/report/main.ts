import { givenEnvironment } from '@escapement/service/environment';
import { EXIT } from '../output/exit-code.ts';
import { report } from './report.ts';

// `escapement report --line ID -- COMMAND`, started by cron for each line: nothing else of the command line is loaded.

const [, option, line, dashes, ...words] = process.argv.slice(2);
if (option === '--line' && line !== undefined && dashes === '--' && words.length > 0)
  await report(line, words, givenEnvironment());
else {
  process.stderr.write('escapement report --line ID -- COMMAND: an id, two dashes and a command are needed\n');
  process.exitCode = EXIT.usage;
}
