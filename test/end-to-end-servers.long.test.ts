import { SERVER_FAULTS } from './chaos/faults/index.ts';
import { testFaultsOnce } from './chaos/short.ts';

testFaultsOnce(SERVER_FAULTS);
