import { PROCESS_FAULTS } from './chaos/faults/index.ts';
import { testFaultsOnce } from './chaos/short.ts';

testFaultsOnce(PROCESS_FAULTS);
