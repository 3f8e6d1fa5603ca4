import { act } from '../api/act.ts';

export const useVerifyLedger = act({
  method: 'post',
  path: '/v1/ledger-verifications',
  touches: ['ledger-verifications'],
});
