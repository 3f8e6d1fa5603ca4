// Who may do what: labels, roles, and the decision over them.

export * from './grants.ts';
export * from './group-roles.ts';
export * from './judge-right.ts';
export * from './labels.ts';
export * from './needs-of-save.ts';
export * from './roles.ts';
export * from './without-payloads.ts';
