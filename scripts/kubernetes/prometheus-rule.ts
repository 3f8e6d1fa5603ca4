const HEAD = `# Written by \`npm run docs:prometheus-rule\` from deploy/prometheus/escapement.rules.yml; do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: escapement
  labels: { app.kubernetes.io/name: escapement, app.kubernetes.io/component: monitoring }
spec:
`;

/** The rules of a file for Prometheus as an object for its operator. */
export function prometheusRule(rules: string): string {
  const groups = rules.slice(rules.indexOf('groups:'));
  return HEAD + groups.replace(/^(?=.)/gm, '  ');
}
