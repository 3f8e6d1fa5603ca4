import { EscapementError } from '@escapement/core';
import {
  type Alerting,
  type DefaultReceivers,
  type Destination,
  destinationsOf,
  inhibits,
  KINDS_OF_FLEET,
  parseMatch,
} from '@escapement/core/alerts';
import { matchesSelector } from '@escapement/core/rights';
import { openRoutes } from '@escapement/operations';
import {
  type AlertToNotify,
  alertsToNotify,
  type Database,
  type FiringAlert,
  firingAlerts,
  listSilences,
  muteAlerts,
  type Notification,
  noteNotifications,
  type Silence,
} from '@escapement/store';

const PAGE = 500;

export interface NotifierOptions {
  db: Database;
  defaults: DefaultReceivers;
}

/** Hands what is to be told to the messages of its receivers, but for what is silenced, or has a wider cause that is told. */
export function createNotifier({ db, defaults }: NotifierOptions) {
  let after = 0n;
  return async (alerting: Alerting, now: Date): Promise<void> => {
    const alerts = await alertsToNotify(db, { after, limit: PAGE });
    // Of those that were told there is a page each time: each is put off then.
    const news = alerts.filter(({ tell }) => tell !== 'again');
    after = news.length >= PAGE ? (news.at(-1)?.id ?? 0n) : 0n;
    if (alerts.length === 0) return;
    const silences = await listSilences(db);
    const causes = await causesFor(db, alerts);
    const open = { ...alerting, routes: await openRoutes(db, alerting, now) };
    const muted: { id: bigint; why: string }[] = [];
    const notifications: Notification[] = [];
    for (const alert of alerts) {
      const why = alert.tell === 'resolved' ? null : mutedBy(alert, silences, causes);
      if (why === null) notifications.push({ id: alert.id, tell: alert.tell, destinations: whereTo(alert) });
      // It was over before anybody could be told.
      else if (alert.state === 'resolved') notifications.push({ id: alert.id, tell: alert.tell, destinations: [] });
      else muted.push({ id: alert.id, why });
    }
    await muteAlerts(db, muted);
    await noteNotifications(db, notifications);

    function whereTo(alert: AlertToNotify): readonly Destination[] {
      // Who has heard that it fires hears that it is over.
      return alert.tell === 'resolved' ? alert.notified : destinationsOf(open, alert, defaults, now);
    }
  };
}

async function causesFor(db: Database, alerts: readonly AlertToNotify[]): Promise<FiringAlert[]> {
  const names = new Set(alerts.flatMap(({ taskId }) => taskId ?? []));
  return await firingAlerts(db, { kinds: [...KINDS_OF_FLEET], taskIds: [...names] });
}

function mutedBy(alert: AlertToNotify, silences: readonly Silence[], causes: readonly FiringAlert[]): string | null {
  const silence = silences.find((each) => silencesIt(each, alert));
  if (silence) return `silenced by ${silence.createdBy} until ${silence.untilAt.toISOString()}: ${silence.note}`;
  const cause = causes.find((each) => each.id !== alert.id && inhibits(each, alert));
  return cause ? `alert ${cause.id} (${cause.rule}) is the wider cause` : null;
}

/** One whose selector cannot be read silences nothing. */
function silencesIt({ match }: Silence, { labels }: AlertToNotify): boolean {
  try {
    return matchesSelector(parseMatch(match), labels);
  } catch (error) {
    if (error instanceof EscapementError) return false;
    throw error;
  }
}
