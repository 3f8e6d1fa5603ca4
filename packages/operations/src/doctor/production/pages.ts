/** Where the documents say more about what production needs. */
export const PAGES = {
  backup: 'docs/how-to/back-up-and-restore.md',
  failOver: 'docs/how-to/back-up-and-restore.md#fail-over-to-a-standby',
  postgres: 'docs/how-to/run-a-fleet.md#set-up-postgres',
  maintain: 'docs/how-to/run-a-fleet.md#maintain-postgres',
  start: 'docs/how-to/run-a-fleet.md#start-it',
  roles: 'docs/how-to/run-a-fleet.md#give-each-program-a-role',
  deploy: 'docs/how-to/run-a-fleet.md#deploy-a-new-version',
  rights: 'docs/reference/rights.md',
  tasks: 'docs/reference/tasks.md',
} as const;
