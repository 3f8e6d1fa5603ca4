/** The name of a user in the user column of a crontab, or of whose crontab it is. */
export const CRONTAB_USER = /^[A-Za-z0-9_][A-Za-z0-9_.@+\\-]*\$?$/;
