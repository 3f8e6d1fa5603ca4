import { readFileSync, writeFileSync } from 'node:fs';
import { prometheusRule } from './prometheus-rule.ts';

const file = (name: string) => new URL(`../../deploy/${name}`, import.meta.url);
const rules = readFileSync(file('prometheus/escapement.rules.yml'), 'utf8');
writeFileSync(file('kubernetes/components/monitoring/rules.yaml'), prometheusRule(rules));
