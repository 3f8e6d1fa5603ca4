import { expect, test } from 'vitest';
import { anchorOf } from './anchor.ts';

test.each([
  ['Audit: who did what', 'audit-who-did-what'],
  ['`escapement.config.ts`: tasks', 'escapementconfigts-tasks'],
  ['0.1.0, unreleased', '010-unreleased'],
  ['The dead_letter table -- old', 'the-dead_letter-table----old'],
])('the anchor of "%s" is that of GitHub', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});
