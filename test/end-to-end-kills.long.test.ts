import { KILL_FAULTS } from './chaos/faults/index.ts';
import { testFaultsOnce } from './chaos/short.ts';

testFaultsOnce(KILL_FAULTS);
