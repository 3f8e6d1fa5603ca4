import { createContext, useContext } from 'react';

/** Whether the session has ended while its page is open: what lies beneath the sign-in keeps still. */
export const SessionOver = createContext(false);

export function useSessionOver(): boolean {
  return useContext(SessionOver);
}
