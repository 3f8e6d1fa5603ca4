import { action } from '../api/action.ts';

export const useVerifyLedger = action({
  method: 'post',
  path: '/v1/ledger-verifications',
  touches: ['ledger-verifications'],
});
