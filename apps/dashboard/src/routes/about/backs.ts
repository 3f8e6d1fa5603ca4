/** How far back a verification of the ledger goes that a person asks for; a month is the most that the API takes. */
export const BACKS = ['hour', 'day', 'week', 'month'] as const;

export type Back = (typeof BACKS)[number];

/** As the API takes it. */
export const FROM: Readonly<Record<Back, string>> = { hour: '1h', day: '24h', week: '7d', month: '31d' };
