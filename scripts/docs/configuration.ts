import { writeFileSync } from 'node:fs';
import { configurationDoc } from '@escapement/service';

writeFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), configurationDoc());
