import type { AlertingInput } from '@escapement/core/alerts';
import { saveAlerting, silenceAlerts, testReceiver } from '@escapement/operations';
import { by } from '@escapement/testkit';
import type { Example, Fixture } from '../example.ts';

const ROOT = by('root', 'a reason');
const DOCUMENT: AlertingInput = {
  rules: [],
  receivers: { ops: { type: 'slack', url: 'https://hooks.example/secret' } },
};
const UNTIL = '2126-01-01T00:00:00Z';

/** Alerts open by what a scheduler finds: a row says what it has found. */
async function anAlert({ db, name, taskId }: Fixture): Promise<string> {
  const text = `INSERT INTO alert (namespace, rule, kind, severity, subject, task_id, labels, state, summary, since, last_at, fire_at, fired_at)
    VALUES ($1, $2, 'failed', 'warning', $2, $3, '{}', 'firing', $4, now(), now(), now(), now()) RETURNING id`;
  const values = [db.namespace, `task:${name}`, taskId, `${name} has failed`];
  const { rows } = await db.pool.query<{ id: bigint }>(text, values);
  return String(rows[0]?.id);
}

const ofAlert = async (of: Fixture): Promise<Example> => ({ params: { id: await anAlert(of) } });

async function aDelivery({ db }: Fixture): Promise<Example> {
  await saveAlerting(db, DOCUMENT, ROOT);
  return { params: { id: String(await testReceiver(db, 'ops', ROOT)) } };
}

/** Requests about alerts, and about what will run. */
export const ALERT_EXAMPLES: Record<string, (of: Fixture) => Example | Promise<Example>> = {
  listAlerts: async (of) => {
    await anAlert(of);
    return { query: { all: 'true' } };
  },
  getAlert: ofAlert,
  acknowledgeAlert: async (of) => ({ ...(await ofAlert(of)), body: { reason: 'I look' } }),
  listSilences: async ({ db, name }) => {
    await silenceAlerts(db, `task=${name}`, new Date(UNTIL), ROOT);
    return {};
  },
  silenceAlerts: ({ name }) => ({ body: { match: `task=${name}`, untilAt: UNTIL, reason: 'moving' } }),
  unsilenceAlerts: async ({ db, name }) => ({
    params: { id: String((await silenceAlerts(db, `task=${name}`, new Date(UNTIL), ROOT)).id) },
  }),
  getAlertRules: () => ({}),
  getAlerting: () => ({}),
  saveAlerting: () => ({ body: DOCUMENT }),
  explainTaskAlerts: ({ taskId }) => ({ params: { id: taskId } }),
  listDeliveries: async (of) => {
    await aDelivery(of);
    return {};
  },
  getDelivery: aDelivery,
  testReceiver: async (of) => {
    await aDelivery(of);
    return { params: { name: 'ops' }, body: {} };
  },
  getForecastRows: () => ({ query: { days: '2', by: 'key', timeZone: 'Europe/Berlin' } }),
  getForecast: () => ({ query: { days: '2', step: '1h', timeZone: 'Europe/Berlin' } }),
  getCalendarFile: () => ({ query: { days: '2', mostADay: '48' } }),
  exportCalendar: () => ({ query: { days: '2' } }),
  listQuietSlots: () => ({ query: { minutes: '20', window: '22:00-02:00', every: 'mon-fri' } }),
  listTimeZones: () => ({ query: { days: '30' } }),
  replayTask: async ({ db, endedRun, name }) => {
    const { rows } = await db.pool.query<{ id: string }>('SELECT task_id AS id FROM run WHERE id = $1', [endedRun]);
    return { params: { id: String(rows[0]?.id ?? name) }, body: { expression: '0 9 * * *' } };
  },
};
