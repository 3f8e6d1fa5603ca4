// Written by `npm run docs:openapi` from docs/reference/openapi.json.
export interface paths {
    "/v1/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rules, routes and receivers in force, without the paths of URLs: those are often secrets. */
        get: operations["getAlertRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The document of alerts in force, as it is saved. */
        get: operations["getAlerting"];
        /** Save rules, routes and receivers in the place of those in force. They count a few seconds later. */
        put: operations["saveAlerting"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is wrong now, the latest first. */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An alert. */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that somebody looks after it: it is not told again until it is over. */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The server that answers this request, of several perhaps. */
        get: operations["getApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the tasks of a set what documents say. It may be repeated at any time.
         * @description With `plan`, as `POST /v1/apply/plan` has answered it, nothing is done that was not planned (409 `plan_outdated`, which says what differs). All is checked before anything is written; then each task is written by itself. Of one set, an apply waits for the one before. What breaks off in between is repeated with the same body.
         */
        post: operations["applyTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apply/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What documents of tasks would create, change and delete, occurrence by occurrence. Nothing is written. */
        post: operations["previewApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What people and programs did, and what was refused to them, the latest first; kept for a year. */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Backfills and their progress, the latest first; those of tasks that whoever asks may see. */
        get: operations["listBackfills"];
        put?: never;
        /** Run the occurrences of a task in a time that has passed. */
        post: operations["startBackfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backfills/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go on with a backfill that was stopped. */
        post: operations["resumeBackfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backfills/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make no more runs, and cancel those that have not started. */
        post: operations["stopBackfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backfills/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a backfill would run. Nothing is done. */
        post: operations["previewBackfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Batches, which a run has fanned out: how many of their items are done. The latest first. */
        get: operations["listBatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a batch is, and how it was asked for. */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The runs of a batch and what came of them, in the order of its items.
         * @description Items whose run is not made yet are not among them. Of some states, a page looks through 10000 items at most: it may have fewer than asked for, or none, and `next` goes on.
         */
        get: operations["listBatchChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bulk actions of the last day, the latest first.
         * @description Seen by who asked for it, and by whoever may see all tasks that it is about: without tasks, all of the namespace.
         */
        get: operations["listBulkRequests"];
        put?: never;
        /**
         * Have an act done to many runs or tasks. A scheduler carries it out, 100 at a time, each once.
         * @description The right is that of the act, on each task that it is about. `Location` names the request, which tells how far it is.
         */
        post: operations["startBulkAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a bulk action is, and what came of it. Kept for a day.
         * @description Seen by who asked for it, and by whoever may see all tasks that it is about: without tasks, all of the namespace.
         */
        get: operations["getBulkRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a bulk action where it is: it becomes `cancelled` once a scheduler has seen that.
         * @description The right is that of the act. What was chosen already, at most 100 runs or tasks, is done; nothing is taken back.
         */
        post: operations["cancelBulkRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a bulk action wait until somebody goes on with it.
         * @description The right is that of the act. What was chosen already, at most 100 runs or tasks, is done; nothing is taken back.
         */
        post: operations["pauseBulkRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The runs or tasks that a bulk action was done to so far, in the order in which it was done.
         * @description Seen by who asked for it, and by whoever may see all tasks that it is about: without tasks, all of the namespace. Of those that were refused the first 100 are in `counts`; of those that had moved on their number is. While the act goes on, one that is written at the same moment may be missing.
         */
        get: operations["listBulkResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a bulk action that was paused. What has a rate goes on with it from now on.
         * @description The right is that of the act.
         */
        post: operations["resumeBulkRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How many runs or tasks an act would be done to, and the first of them. Nothing is done. */
        post: operations["previewBulkAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calendar.ics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What will run, as an iCalendar (RFC 5545) that the calendars of people subscribe to.
         * @description The token may stand in the query, as `token`: make one with the role `viewer` for it alone.
         */
        get: operations["getCalendarFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All calendars, and the tasks that use each. */
        get: operations["listCalendars"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calendars/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A calendar, and the tasks that use it. */
        get: operations["getCalendar"];
        /** Make a calendar, or replace it. The tasks that use it are planned anew from now on. */
        put: operations["saveCalendar"];
        post?: never;
        /** Delete a calendar that neither a task nor a route of alerts uses. */
        delete: operations["deleteCalendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calendars/{name}/effect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The days of a year that a calendar excludes, and what it takes out of the next occurrences of its tasks. */
        get: operations["getCalendarEffect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calendars/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same of a calendar that is not saved: what would be excluded. Nothing is written. */
        post: operations["previewCalendar"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages about alerts, and what became of each; those to `inbox` are only kept. */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A message about alerts, or a test of a receiver. */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checks servers, dangerous settings, clocks, schedulers and workers.
         * @description As `escapement doctor`, by the settings of this server. A scheduler looks at Redis; that none answers within three seconds is a `problem`. So is a part that takes longer than 20 seconds: the answer does not wait for it.
         */
        get: operations["examineFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/doctor/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compares the queue in Redis, the leases and the slots with the ledger, twice within some seconds. Changes nothing.
         * @description As `escapement doctor --queue`. A scheduler looks at Redis; where none does, the ledger is looked at alone, and that is a problem.
         */
        get: operations["examineQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failures for good, grouped by class of the error, first own place and message; the most frequent first.
         * @description At most 100000 failures are counted: those that were scheduled last.
         */
        get: operations["listErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/errors/{fingerprint}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Do not show an error until an instant. */
        post: operations["muteError"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/errors/{fingerprint}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many runs a `POST` of this would run again. Nothing is done.
         * @description Of tasks that whoever asks may see; at most 10,000.
         */
        get: operations["countRedriveOfError"];
        put?: never;
        /** Run again what failed with an error and was not run again yet. `GET /v1/bulk/ID` tells how far it is. */
        post: operations["redriveError"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/errors/{fingerprint}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take back that an error is resolved or muted. */
        post: operations["reopenError"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/errors/{fingerprint}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that nothing is to be done about an error any more; if it fails later, it is back. */
        post: operations["resolveError"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changes, as it changes (server-sent events).
         * @description `runs`: how runs stand that have begun or ended. `actions`: what somebody did to what. `alerts`, `fleet`, `crontabs`: read them again. `resync`: read all again. `keep-alive`: nothing for 15 s. With `Last-Event-ID` it goes on where a connection was cut, at any replica.
         */
        get: operations["watchEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export/crontab": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tasks as a crontab, with all that stands in their commands. */
        get: operations["exportCrontab"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export/k8s": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tasks as CronJobs of Kubernetes, with all that stands in their commands. */
        get: operations["exportK8s"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export/systemd": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tasks as timers and services of systemd, with all that stands in their commands. */
        get: operations["exportSystemd"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fleet as numbers: what is due, waits and runs in each pool, and who is alive. */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What will start when, how much of it will be at work at once, and where that is more than may be.
         * @description Asked again with the same instant as `from`, it is not computed anew unless something has changed.
         */
        get: operations["getForecast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forecast/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same iCalendar, with its events, and the tasks that are not in it. */
        get: operations["exportCalendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forecast/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * By task or key: what became of its runs, beside what its schedules will start, over the same time.
         * @description The 40 with most at work ahead. Pieces are hours, six hours or days. `now` is the last full five minutes; what has changed since is in the answer.
         */
        get: operations["getForecastRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forecast/slots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The quietest times of day, for something that is still to be scheduled.
         * @description Numbers are those of the worst of the days. What takes a time that is not known counts in `starts` alone.
         */
        get: operations["listQuietSlots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether all tasks are paused. */
        get: operations["getFreeze"];
        /** Pause all tasks from now on; each occurrence that falls due is a row with the reason. */
        put: operations["freezeFleet"];
        post?: never;
        /** End the freeze; what was skipped is not run later. */
        delete: operations["unfreezeFleet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/import/crontab": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make and update the tasks of a crontab. It may be repeated at any time.
         * @description All rights are asked for before anything is written. Then each task is saved by itself; a line whose task is refused is told of, and stops nothing.
         */
        post: operations["importCrontab"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/import/crontab/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a crontab would become, line by line, compared with the tasks that are there. Nothing is written. */
        post: operations["previewCrontab"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The slots of a key, who waits for it, its rates, and what people did to it.
         * @description A key may hold any character: it is a query, not a part of the path.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/key/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What people did to a key, the latest first: when, who, and why. */
        get: operations["listKeyHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/key/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a key from the run that holds it, so that the next one may begin.
         * @description The run itself is not stopped: its result is refused.
         */
        post: operations["releaseKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The slots of all keys that were ever used, and the runs that hold them. */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The verifications of the ledger of the last day, the latest first. */
        get: operations["listLedgerVerifications"];
        put?: never;
        /**
         * Compute what should have happened, and compare it with the ledger. A scheduler does it, one at a time.
         * @description At most 31 days. `Location` tells how far it is.
         */
        post: operations["verifyLedger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger-verifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a verification of the ledger is, and what it has found. Kept for a day. */
        get: operations["getLedgerVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who asks, and what they may do. */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/monitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Jobs that run elsewhere and ping, by name. */
        get: operations["listMonitors"];
        put?: never;
        /** Watch a job that runs elsewhere. The URL that it pings is told in this answer and never again. */
        post: operations["createMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/monitors/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A job that runs elsewhere: what is expected of it, and how it is. */
        get: operations["getMonitor"];
        put?: never;
        post?: never;
        /** Watch a job no more. Its pings go, and its alerts end. */
        delete: operations["deleteMonitor"];
        options?: never;
        head?: never;
        /** Change what is expected of a job; what is left out stays. */
        patch: operations["patchMonitor"];
        trace?: never;
    };
    "/v1/monitors/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Expect nothing of a job for a while. Its pings are taken all the same. */
        post: operations["pauseMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/monitors/{name}/pings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The latest pings of a job, the last one first; 1,000 of each are kept, for 90 days. */
        get: operations["listPings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/monitors/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Expect the pings of a job again, from now on. */
        post: operations["resumeMonitor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/monitors/{name}/url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a job another URL. The one before is of no use from then on. */
        post: operations["renewPingUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All pools, with their workers and what waits in them. */
        get: operations["listPools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A pool. */
        get: operations["getPool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Write down what is expected of a pool. What is left out stays. */
        patch: operations["setPool"];
        trace?: never;
    };
    "/v1/pools/{name}/demand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How much a pool has to do now and soon, for what starts and stops its workers. */
        get: operations["getPoolDemand"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pools/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** No run of the pool begins from now on; what is under way goes on. */
        post: operations["pausePool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pools/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the pause of a pool, and what other programs have done to its queues in Redis. */
        post: operations["resumePool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a definition would do, and change about the task of its name. Nothing is written. */
        post: operations["previewNewTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/receivers/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have a scheduler send a test. `GET /v1/deliveries/ID` says what became of it. */
        post: operations["testReceiver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is held after an outage until somebody decides, by task, the oldest first.
         * @description To let runs go or to drop them: `POST /v1/bulk` with `run_held` or `drop_held`, of all, of a task, or of single `runs`. `order` of `run_held` says which tasks come first.
         */
        get: operations["listHeldTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recovery/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The runs that are held, in the order in which `run_held` lets them go: by priority, then the oldest first.
         * @description With `order`, `run_held` lets those of the tasks in it go before all others, one task after the other; these stay in the order of this list.
         */
        get: operations["listHeldRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/run/last": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Of the runs that have begun, the one that was scheduled last: of a task, or of all that whoever asks may see. */
        get: operations["getLastRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, the latest scheduled first. */
        get: operations["listRuns"];
        put?: never;
        /**
         * Run the task of a name, now or at a time: for programs, which know tasks by their names.
         * @description Of a task that runs on every worker there is a run for each. With the header `Idempotency-Key` it is done once: within a day the same key gives the same answer, and makes no second run.
         */
        post: operations["triggerRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything about a run: why it exists, its attempts, what follows it, what people did to it. */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a run, and the runs that it has fanned out. */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a run has written. */
        get: operations["getRunLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/log/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a run has written, in the pieces in which it came, with their attempts. */
        get: operations["listLogChunks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/log/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a run writes, as it writes it (server-sent events).
         * @description `log`: a piece of the log. `skipped`: so many lines were left out, since more than 256 KiB were waiting. `end`: the run has ended. `keep-alive`: nothing for 15 s. With `Last-Event-ID` it goes on where a connection was cut, at any replica.
         */
        get: operations["watchRunLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a run that has ended once more, for the same occurrence and with the same payload. */
        post: operations["rerunRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say what became of a run that is unknown. */
        post: operations["resolveRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All runs that go back to the same first cause as a run. */
        get: operations["getRunTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run, once it has ended, or is `unknown`, or the time is over: ask again as long as it goes on. */
        get: operations["waitForRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs that have begun or ended since the answer before, as they stand now; none of them is missed.
         * @description Without `after` there are none, and `next` is where to go on. A run may come again as it was told before. `ids` of `GET /v1/runs` has more of them.
         */
        get: operations["listRunChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many runs match, by state; counted up to 10000 of each. */
        get: operations["countRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/longest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The runs that have been running for longest, of all that run now. */
        get: operations["listLongestRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedulers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The schedulers that are alive. */
        get: operations["listSchedulers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The session in which is asked: of whom, and how long it lasts. */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in by name and password, in a browser. The cookie of the answer lets it in.
         * @description A session that the browser had ends. From a page of this server only. Programs use tokens.
         */
        post: operations["createSession"];
        /** Sign out: the session is over at once, whoever has its cookie. */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in by the code of a link, in a browser. The code is of no use from then on.
         * @description `npm run dev` prints such a link. The cookie of the answer is that of `POST /v1/session`.
         */
        post: operations["createSessionByCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in at the OpenID provider, in a browser: it is sent there.
         * @description A cookie of ten minutes lets this browser, and no other, come back. For a link or a button; programs use tokens.
         */
        get: operations["beginOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the OpenID provider sends a browser back. The cookie of the answer lets it in, as that of `POST /v1/session`. */
        get: operations["endOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How one signs in here beside name and password. */
        get: operations["listSignInWays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shadow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What cron did with each line of the crontabs in the shadow, beside what was planned for it. */
        get: operations["getShadow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shadow/cutovers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have lines of crontabs run by the fleet instead of cron, or the other way round, from an instant on.
         * @description The instant lies between two fires of each line. The host of the line is asked when it tells what cron did, and answers; until then what is due from the instant on is held.
         */
        post: operations["cutOverLines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shadow/cutovers/{line}/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether a host has taken a cut-over, in the place of one that will not answer.
         * @description What the host says later counts more.
         */
        post: operations["settleCutover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shadow/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell what cron has started on a host, and how it ended. `escapement report` does it.
         * @description May be repeated at any time, and in any order. A token with the scope `host=NAME` may tell of that host alone.
         */
        post: operations["sendCronReports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Alerts that nobody is told of for now. */
        get: operations["listSilences"];
        put?: never;
        /** Tell nobody of alerts that match, until an instant. */
        post: operations["silenceAlerts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/silences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a silence. */
        delete: operations["unsilenceAlerts"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/task": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The id of the task that has a name. */
        get: operations["findTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/task/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, failures, durations and the last error of the tasks that have runs since then, by name. */
        get: operations["listTaskStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/task/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same by the name of the task. */
        get: operations["listVersionsByName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tasks that whoever asks may see: how each stands, when it is due, and how its latest runs went. */
        get: operations["listTasks"];
        put?: never;
        /** Make a task. */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything about a task.
         * @description The header `ETag` has its version, for `If-Match` of a change.
         */
        get: operations["getTask"];
        /** Replace the definition of a task. */
        put: operations["replaceTask"];
        post?: never;
        /** Delete a task. Its runs stay in the ledger; those that have not started never start. */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        /**
         * Change parts of the definition of a task.
         * @description Without `If-Match`, or with `*`, what others change at the same moment stays.
         */
        patch: operations["patchTask"];
        trace?: never;
    };
    "/v1/tasks/{id}/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which rules count for a task, and who would be told now. */
        get: operations["explainTaskAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tasks whose runs start those of a task, and those that its runs start.
         * @description By `then`, and by `onStart` and its like. What handlers start themselves is not known before.
         */
        get: operations["getTaskChain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The parts in which two versions of a task differ. */
        get: operations["diffTaskVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of the runs of a task by hour or day, the oldest first; without those that had none.
         * @description `failed`: failed, timed out or quarantined. `cancelled`: superseded, too. Runs count where they were due.
         */
        get: operations["listTaskOutcomes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Skip what falls due from now on; each skipped occurrence is in the ledger. */
        post: operations["pauseTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/pending-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Forget a change that was to count from a later instant on. */
        delete: operations["dropPendingTaskChange"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a change of a task, a revert or another name would change. Nothing is written. */
        post: operations["previewTaskChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a task another name. It stays the same task, with its runs. */
        post: operations["renameTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the pauses of a task; what was skipped is not run later. */
        post: operations["resumeTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Save an older version of a task again, as its newest. */
        post: operations["revertTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Skip the next occurrences of a task. */
        post: operations["skipTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a task keeps between its runs, by key. */
        get: operations["listTaskState"];
        /** Set by hand what a task keeps between its runs. */
        put: operations["setTaskState"];
        post?: never;
        /** Drop what a task keeps between its runs: the next run begins without. */
        delete: operations["dropTaskState"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, failures, durations and the last error of a task. */
        get: operations["getTaskStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a task now, or at a time.
         * @description Of a task that runs on every worker there is a run for each. With the header `Idempotency-Key` it is done once: within a day the same key gives the same answer, and makes no second run.
         */
        post: operations["triggerTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every version of a task, the newest first, also of a deleted one. */
        get: operations["listTaskVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What another schedule, overlap policy or limit would have made of the last runs of a task. Nothing is written. */
        post: operations["replayTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/time-zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** By which time zone data tasks are planned, and which of their fires are others by newer data. */
        get: operations["listTimeZones"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All tokens, without what lets anybody in. */
        get: operations["listTokens"];
        put?: never;
        /** Make a token. It is told in this answer and never again. */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a token at once. */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a user; what they did stays in the audit. */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep a user out until they are enabled again. Their sessions end. */
        post: operations["disableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a user sign in again who was disabled. */
        post: operations["enableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/grant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give a user a role, rights and a scope in place of theirs, from their next request on. */
        put: operations["grantUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give a user another password. */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All users. */
        get: operations["listUsers"];
        put?: never;
        /** Make a user. Only a hash of the password is kept. */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/work-items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The items of a work-list, in the order in which they are taken. */
        get: operations["listWorkItems"];
        put?: never;
        /** Add items to the end of a work-list, which is made by it. */
        post: operations["addWorkItems"];
        /** Delete the items of a work-list that no run has taken. */
        delete: operations["dropWorkList"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/work-lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All work-lists: how much waits in each. */
        get: operations["listWorkLists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The workers that are alive. */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/{id}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have a worker take nothing new; what is under way goes on. */
        post: operations["drainWorker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have a worker that is being drained take runs again. */
        post: operations["resumeWorker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Alerting: {
            /** @description 0: these are the defaults. */
            version: number;
            definition: {
                [key: string]: unknown;
            };
        };
        Problem: {
            /** @description The status in words. */
            title: string;
            status: number;
            /** @description What is wrong, for programs. It stays the same in later versions. */
            code: string;
            /** @description What is wrong, with the value. */
            detail: string;
            /** @description What to do about it. */
            fix?: string;
            /** @description Each value that is wrong. */
            errors?: {
                /**
                 * @description Where the value stands.
                 * @enum {string}
                 */
                in: "path" | "query" | "body" | "header";
                /** @description Which value, as `schedule.timeZone`; empty: all of it. */
                path: string;
                /** @description What was expected, and what was given. */
                message: string;
                /** @description What may stand there, in words. */
                expected?: string;
                /** @description What was given, as JSON, shortened. Left out where nothing was. */
                got?: string;
                /** @description The name that was probably meant. */
                nearest?: string;
            }[];
            /** @description Of a `query` that cannot be read: the characters in question. */
            at?: {
                start: number;
                end: number;
            };
            /** @description Of a change that lost a race: the version that is in force. */
            current?: {
                version: number;
            };
            outdated?: components["schemas"]["OutdatedPreview"];
            /** @description Also in the header `X-Request-Id`, the log of the server and the audit. */
            requestId: string;
        };
        /** @description Of a save that names a version or a first fire: what was previewed against what would be done now. */
        OutdatedPreview: {
            /** @description What the save would have changed about the version of `If-Match`, looked at now; null: none was named, it is in force still, or it is not known. */
            previewed: components["schemas"]["TaskPreview"] | null;
            /** @description What it would change now; null: it can no longer be made. */
            now: components["schemas"]["TaskPreview"] | null;
            /** @description What others have changed about the task since that version; null as `previewed`. */
            since: components["schemas"]["TaskEffect"] | null;
        };
        TaskPreview: {
            effect: components["schemas"]["TaskEffect"];
            /** @description When it runs, in words. */
            meaning: string;
            /** @description When it runs by today's definition, in words; null: it is new. */
            meaningBefore: string | null;
            /** @description The next fires of today's definition. */
            before: string[];
            /** @description The next fires of the new one. */
            after: string[];
            /** @description The version that it was compared with, for `If-Match`; null: it is new. */
            version: number | null;
        };
        TaskEffect: {
            name: string;
            /** @enum {string} */
            action: "create" | "update" | "unchanged" | "delete";
            /** @description Top-level parts of the definition that differ. */
            changed: string[];
            fires: {
                added: {
                    count: number;
                    first: string[];
                };
                removed: {
                    count: number;
                    first: string[];
                };
                moved: {
                    count: number;
                    first: {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                         */
                        to: string;
                    }[];
                };
                kept: number;
                truncated: boolean;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                comparedTo: string;
            };
            /** @description The first fire that the save will have. */
            next: string | null;
            /** @description Stands for what the new fires follow from: the schedule, and its calendars as they are. Sent back with the save, nothing else is saved. Null: the task is deleted. */
            basis: string | null;
            /** @description It has passed already: it runs as soon as the task is saved. */
            passed: string | null;
            timeZone: string;
            schedule: string;
            /** @description The next changes of the clock by which it goes. */
            clockChanges?: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                message: string;
                fix?: string;
            }[];
            lints: {
                code: string;
                message: string;
                fix?: string;
            }[];
        };
        AlertingDocument: {
            rules: {
                name: string;
                when: {
                    /** @constant */
                    kind: "failed";
                    inARow?: number;
                    of?: {
                        failures: number;
                        runs: number;
                    };
                } | {
                    /** @constant */
                    kind: "quarantined";
                } | {
                    /** @constant */
                    kind: "missed";
                } | {
                    /** @constant */
                    kind: "suspicious";
                    underMs?: number;
                    underUsual?: number;
                    minLogBytes?: number;
                    output?: string;
                    logHas?: string;
                    logLacks?: string;
                } | {
                    /** @constant */
                    kind: "late";
                    afterMs: number;
                } | {
                    /** @constant */
                    kind: "waiting";
                    afterMs: number;
                } | {
                    /** @constant */
                    kind: "slow";
                    afterMs?: number;
                    timesP95?: number;
                } | {
                    /** @constant */
                    kind: "silent";
                    afterMs: number;
                } | {
                    /** @constant */
                    kind: "unknown";
                } | {
                    /** @constant */
                    kind: "held";
                } | {
                    /** @constant */
                    kind: "no-success";
                    forMs: number;
                } | {
                    /** @constant */
                    kind: "not-started-by";
                    at: string;
                    timeZone: string;
                    days?: number[];
                } | {
                    /** @constant */
                    kind: "unplannable";
                } | {
                    /** @constant */
                    kind: "monitor-missed";
                } | {
                    /** @constant */
                    kind: "monitor-failed";
                } | {
                    /** @constant */
                    kind: "monitor-slow";
                } | {
                    /** @constant */
                    kind: "planner-silent";
                    overMs: number;
                } | {
                    /** @constant */
                    kind: "planner-lag";
                    overMs: number;
                } | {
                    /** @constant */
                    kind: "no-worker";
                } | {
                    /** @constant */
                    kind: "workers-missing";
                } | {
                    /** @constant */
                    kind: "worker-lost";
                } | {
                    /** @constant */
                    kind: "overdue";
                    overMs: number;
                } | {
                    /** @constant */
                    kind: "redis-away";
                } | {
                    /** @constant */
                    kind: "not-watched";
                    overMs: number;
                } | {
                    /** @constant */
                    kind: "api-away";
                    overMs: number;
                } | {
                    /** @constant */
                    kind: "drift";
                    atLeast?: number;
                    kinds?: string[];
                } | {
                    /** @constant */
                    kind: "queue-blocked";
                } | {
                    /** @constant */
                    kind: "clock-off";
                    overMs: number;
                } | {
                    /** @constant */
                    kind: "partition-missing";
                } | {
                    /** @constant */
                    kind: "database-size";
                    overBytes: number;
                } | {
                    /** @constant */
                    kind: "token-expires";
                    withinMs: number;
                } | {
                    /** @constant */
                    kind: "ledger-gap";
                };
                /** @default {} */
                on?: {
                    task?: string;
                    labels?: {
                        [key: string]: string;
                    };
                    pool?: string;
                    monitor?: string;
                };
                /**
                 * @default warning
                 * @enum {string}
                 */
                severity?: "critical" | "warning" | "info";
                /** @default 0 */
                forMs?: number;
                /** @default true */
                enabled?: boolean;
                note?: string;
            }[];
            /** @default {} */
            receivers?: {
                [key: string]: {
                    /** @constant */
                    type: "email";
                    to: string[];
                } | {
                    /** @constant */
                    type: "webhook";
                    url: string | {
                        secret: string;
                    };
                    template?: unknown;
                } | {
                    /** @constant */
                    type: "slack";
                    url: string | {
                        secret: string;
                    };
                } | {
                    /** @constant */
                    type: "teams";
                    url: string | {
                        secret: string;
                    };
                } | {
                    /** @constant */
                    type: "discord";
                    url: string | {
                        secret: string;
                    };
                } | {
                    /** @constant */
                    type: "pagerduty";
                    routingKey: string | {
                        secret: string;
                    };
                    url?: string | {
                        secret: string;
                    };
                } | {
                    /** @constant */
                    type: "ntfy";
                    url: string | {
                        secret: string;
                    };
                    token?: string | {
                        secret: string;
                    };
                } | {
                    /** @constant */
                    type: "alertmanager";
                    url: string | {
                        secret: string;
                    };
                } | {
                    /** @constant */
                    type: "task";
                    task: string;
                } | {
                    /** @constant */
                    type: "inbox";
                };
            };
            /** @default [] */
            routes?: {
                match?: string;
                hours?: {
                    timeZone: string;
                    days?: number[];
                    from?: string;
                    to?: string;
                    exclude?: string[];
                };
                receivers: string[];
                /** @default false */
                continue?: boolean;
                /**
                 * @default [
                 *       "rule"
                 *     ]
                 */
                groupBy?: string[];
                /** @default 1000 */
                groupWaitMs?: number;
                /** @default 30000 */
                groupIntervalMs?: number;
                /** @default 86400000 */
                repeatMs?: number;
            }[];
        };
        AlertingSaved: {
            /** @enum {string} */
            kind: "created" | "updated" | "unchanged";
            version: number;
            /** @description What is likely a mistake, though it is allowed. */
            warnings: string[];
        };
        Alerts: {
            items: components["schemas"]["Alert"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        Alert: {
            id: string;
            rule: string;
            kind: string;
            /** @enum {string} */
            severity: "critical" | "warning" | "info";
            taskName: string | null;
            labels: {
                [key: string]: string;
            };
            /** @enum {string} */
            state: "pending" | "firing" | "resolved";
            summary: string;
            why: string[];
            runs: {
                id: string;
                scheduledFor: string;
            }[];
            seen: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            since: string;
            firedAt: string | null;
            acknowledgedAt: string | null;
            acknowledgedBy: string | null;
            note: string | null;
            resolvedAt: string | null;
            resolvedWhy: string | null;
            /** @description Why nobody is told of it for now. */
            muted: string | null;
            notified: components["schemas"]["Destination"][];
        };
        Destination: {
            receiver: string;
            group: string;
            groupWaitMs: number;
            groupIntervalMs: number;
            repeatMs: number;
        };
        AlertAcknowledged: {
            id: string;
        };
        ApiServer: {
            host: string;
            /** @description Of the program; null: nobody has said. */
            appVersion: string | null;
        };
        PlannedWrite: {
            /** @enum {string} */
            action: "create" | "update" | "delete";
            /** @description The version that it replaces or deletes; null: there is none. */
            version: number | null;
            /** @description A digest of what it saves; null: it deletes. */
            definition: string | null;
        };
        Applied: {
            effects: {
                name: string;
                /** @enum {string} */
                action: "create" | "update" | "unchanged" | "delete";
                /** @description Top-level parts of the definition that differ. */
                changed: string[];
                fires: {
                    added: {
                        count: number;
                        first: string[];
                    };
                    removed: {
                        count: number;
                        first: string[];
                    };
                    moved: {
                        count: number;
                        first: {
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                             */
                            from: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                             */
                            to: string;
                        }[];
                    };
                    kept: number;
                    truncated: boolean;
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    comparedTo: string;
                };
                /** @description The first fire that the save will have. */
                next: string | null;
                /** @description Stands for what the new fires follow from: the schedule, and its calendars as they are. Sent back with the save, nothing else is saved. Null: the task is deleted. */
                basis: string | null;
                /** @description It has passed already: it runs as soon as the task is saved. */
                passed: string | null;
                timeZone: string;
                schedule: string;
                /** @description The next changes of the clock by which it goes. */
                clockChanges?: {
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    at: string;
                    message: string;
                    fix?: string;
                }[];
                lints: {
                    code: string;
                    message: string;
                    fix?: string;
                }[];
                /** @description What people have edited of it, and the documents take back. */
                undoes: {
                    version: number;
                    by: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    at: string;
                    note: string | null;
                    fields: string[];
                }[];
            }[];
            /** @description Tasks that are as the documents say already. */
            unchanged: number;
            /** @description Tasks of the set that are not in the documents. */
            left: string[];
        };
        ApplyPlan: {
            effects: {
                name: string;
                /** @enum {string} */
                action: "create" | "update" | "unchanged" | "delete";
                /** @description Top-level parts of the definition that differ. */
                changed: string[];
                fires: {
                    added: {
                        count: number;
                        first: string[];
                    };
                    removed: {
                        count: number;
                        first: string[];
                    };
                    moved: {
                        count: number;
                        first: {
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                             */
                            from: string;
                            /**
                             * Format: date-time
                             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                             */
                            to: string;
                        }[];
                    };
                    kept: number;
                    truncated: boolean;
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    comparedTo: string;
                };
                /** @description The first fire that the save will have. */
                next: string | null;
                /** @description Stands for what the new fires follow from: the schedule, and its calendars as they are. Sent back with the save, nothing else is saved. Null: the task is deleted. */
                basis: string | null;
                /** @description It has passed already: it runs as soon as the task is saved. */
                passed: string | null;
                timeZone: string;
                schedule: string;
                /** @description The next changes of the clock by which it goes. */
                clockChanges?: {
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    at: string;
                    message: string;
                    fix?: string;
                }[];
                lints: {
                    code: string;
                    message: string;
                    fix?: string;
                }[];
                /** @description What people have edited of it, and the documents take back. */
                undoes: {
                    version: number;
                    by: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    at: string;
                    note: string | null;
                    fields: string[];
                }[];
            }[];
            /** @description Tasks that are as the documents say already. */
            unchanged: number;
            /** @description Tasks of the set that are not in the documents. */
            left: string[];
            /** @description Why `allowPrune` is needed; null: it is not. */
            doubt: string | null;
            /** @description What is written, by the name of the task. `POST /v1/apply` takes it as `plan`. */
            plan: {
                [key: string]: components["schemas"]["PlannedWrite"];
            };
        };
        AuditPage: {
            items: components["schemas"]["AuditLogEntry"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        AuditLogEntry: {
            id: number;
            subject: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            principal: components["schemas"]["Principal"];
            action: string;
            reason: string | null;
            detail: {
                [key: string]: unknown;
            };
            before: unknown;
            after: unknown;
            requestId: string | null;
            refused: boolean;
        };
        Principal: {
            /** @enum {string} */
            kind: "user" | "token" | "process" | "cli";
            id: string;
            name: string;
            address: string | null;
        };
        Backfills: {
            items: components["schemas"]["Backfill"][];
        };
        Backfill: {
            id: string;
            taskId: string;
            taskName: string;
            /** @enum {string} */
            state: "running" | "stopped" | "done";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            fromAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            toAt: string;
            /** @enum {string} */
            reprocess: "none" | "failed" | "all";
            concurrency: number;
            reverse: boolean;
            requestedBy: string;
            seq: number;
            cursorAt: string | null;
            made: number;
            kept: number;
            error: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
            endedAt: string | null;
            progress: {
                [key: string]: number;
            };
        };
        /** @enum {string} */
        RunState: "planned" | "queued" | "waiting" | "running" | "retrying" | "held" | "unknown" | "succeeded" | "failed" | "timed_out" | "cancelled" | "quarantined" | "skipped" | "missed" | "superseded";
        BackfillStarted: {
            id: string;
        };
        BackfillResumed: {
            id: string;
            taskName: string;
        };
        BackfillStopped: {
            id: string;
            taskName: string;
            cancelled: number;
        };
        BackfillPreview: {
            /** @description Occurrences in no row. */
            run: number;
            rerun: number;
            /** @description Occurrences left as they are. */
            keep: number;
            first: string[];
        };
        BatchPage: {
            items: components["schemas"]["Batch"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        Batch: {
            id: string;
            /** @enum {string} */
            state: "filling" | "running" | "stopping" | "cancelling" | "done" | "cancelled";
            total: number;
            made: number;
            succeeded: number;
            skipped: number;
            failed: number;
            left: number;
            reason: string | null;
            name: string;
            taskName: string;
            runId: string;
            joinTask: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
        };
        BatchDescription: {
            id: string;
            /** @enum {string} */
            state: "filling" | "running" | "stopping" | "cancelling" | "done" | "cancelled";
            total: number;
            made: number;
            succeeded: number;
            skipped: number;
            failed: number;
            left: number;
            reason: string | null;
            name: string;
            taskName: string;
            runId: string;
            joinTask: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
            /** @description A template over the item; null: the children share a key. */
            key: string | null;
            /** @description Children that are open at once. */
            concurrency: number;
            /** @enum {string} */
            order: "none" | "start" | "series";
            /** @enum {string} */
            onError: "continue" | "stop";
            cancelledBy: string | null;
            endedAt: string | null;
        };
        BatchChildren: {
            items: {
                /** @description The item, from 0. */
                index: number;
                /** @description The run that was made for it. */
                id: string;
                state: components["schemas"]["RunState"];
                reason: string | null;
                /** @description The item. */
                payload?: unknown | null;
                output?: unknown | null;
                startedAt: string | null;
                finishedAt: string | null;
            }[];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        BulkRequests: {
            items: components["schemas"]["BulkRequest"][];
        };
        BulkRequest: {
            id: string;
            action: unknown;
            askedBy: components["schemas"]["Principal"];
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            askedAt: string;
            answeredAt: string | null;
            takenBy: string | null;
            /** @enum {string} */
            state: "waiting" | "running" | "paused" | "done" | "cancelled" | "failed";
            counts: {
                total: number;
                done: number;
                dropped: number;
                /** @description Those that had moved on by then. */
                passed: number;
                refusedCount: number;
                refused: {
                    runId: string | null;
                    taskName: string;
                    why: string;
                }[];
            } | null;
            error: {
                code: string;
                message: string;
                fix: string | null;
            } | null;
        };
        /** @description `redrive`: what failed for good and was not run again yet. `resolve`: runs that are `unknown`. `run_held`, `drop_held`: what waits for a person after an outage. */
        BulkAction: {
            /** @constant */
            action: "cancel";
            /** @description Which runs, as `GET /v1/runs` takes it: `state:failed task:nightly-* error:ETIMEDOUT`. In place of `task`, `label`, `states`, `since` and `until`. It is looked for in all runs, not only in the latest. */
            query?: string;
            /**
             * @description Of instants in the query without an offset.
             * @default UTC
             */
            timeZone?: string;
            /** @description Of this task only. Default: of all. */
            task?: string;
            /** @description Of the tasks that have these labels when it is asked for: `team=shop`. */
            label?: string;
            /** @description Default: all that the act is possible for. */
            states?: components["schemas"]["RunState"][];
            /**
             * Format: date-time
             * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Default: now.
             */
            until?: string;
            /** @description At most so many, the oldest first. Default: all. */
            limit?: number;
        } | {
            /** @constant */
            action: "rerun";
            /** @description Which runs, as `GET /v1/runs` takes it: `state:failed task:nightly-* error:ETIMEDOUT`. In place of `task`, `label`, `states`, `since` and `until`. It is looked for in all runs, not only in the latest. */
            query?: string;
            /**
             * @description Of instants in the query without an offset.
             * @default UTC
             */
            timeZone?: string;
            /** @description Of this task only. Default: of all. */
            task?: string;
            /** @description Of the tasks that have these labels when it is asked for: `team=shop`. */
            label?: string;
            /** @description Default: all that the act is possible for. */
            states?: components["schemas"]["RunState"][];
            /**
             * Format: date-time
             * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Default: now.
             */
            until?: string;
            /** @description At most so many, the oldest first. Default: all. */
            limit?: number;
            /** @default false */
            sameVersion?: boolean;
        } | {
            /** @constant */
            action: "redrive";
            /** @description Which runs, as `GET /v1/runs` takes it: `state:failed task:nightly-* error:ETIMEDOUT`. In place of `task`, `label`, `states`, `since` and `until`. It is looked for in all runs, not only in the latest. */
            query?: string;
            /**
             * @description Of instants in the query without an offset.
             * @default UTC
             */
            timeZone?: string;
            /** @description Of this task only. Default: of all. */
            task?: string;
            /** @description Of the tasks that have these labels when it is asked for: `team=shop`. */
            label?: string;
            /** @description Default: all that the act is possible for. */
            states?: components["schemas"]["RunState"][];
            /**
             * Format: date-time
             * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Default: now.
             */
            until?: string;
            /** @description At most so many, the oldest first. Default: all. */
            limit?: number;
        } | {
            /** @constant */
            action: "resolve";
            /** @description Which runs, as `GET /v1/runs` takes it: `state:failed task:nightly-* error:ETIMEDOUT`. In place of `task`, `label`, `states`, `since` and `until`. It is looked for in all runs, not only in the latest. */
            query?: string;
            /**
             * @description Of instants in the query without an offset.
             * @default UTC
             */
            timeZone?: string;
            /** @description Of this task only. Default: of all. */
            task?: string;
            /** @description Of the tasks that have these labels when it is asked for: `team=shop`. */
            label?: string;
            /** @description Default: all that the act is possible for. */
            states?: components["schemas"]["RunState"][];
            /**
             * Format: date-time
             * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
             */
            since?: string;
            /**
             * Format: date-time
             * @description Default: now.
             */
            until?: string;
            /** @description At most so many, the oldest first. Default: all. */
            limit?: number;
            /**
             * @description What became of them. `reason` has to say how one knows.
             * @enum {string}
             */
            as: "succeeded" | "failed" | "rerun";
        } | {
            /** @constant */
            action: "run_held";
            /** @description Of this task only. Default: of all. */
            task?: string;
            /** @description Of these tasks only, by their names, in place of `task`. Default: of all. */
            tasks?: string[];
            /** @description Of the tasks that have these labels when it is asked for: `team=shop`. */
            label?: string;
            /**
             * @description Only the newest of each task; the older ones end as missed.
             * @default false
             */
            latestOnly?: boolean;
            /** @description Only these, by their ids: rows of `GET /v1/recovery/runs`. The others stay held. */
            runs?: string[];
            /**
             * @description The time between two of them: each is let go a minute before it is due.
             * @default 0
             */
            spacingMs?: number;
            /** @description When the first of them is due. Default: at once. Those that `latestOnly` drops end at once. */
            fromAt?: string | null;
            /** @description In which order tasks come, by name: the runs of the first one go first, then those of the second, and so on; then those of all others, by priority. Within a task the oldest first. It is about no other runs than without it: a task that is named may have nothing held. Without `spacingMs` they are due a millisecond apart, and in a pool in which tasks have a priority, workers still take the more urgent of those that are due. Default: all by priority. */
            order?: string[];
        } | {
            /** @constant */
            action: "drop_held";
            /** @description Of this task only. Default: of all. */
            task?: string;
            /** @description Of these tasks only, by their names, in place of `task`. Default: of all. */
            tasks?: string[];
            /** @description Of the tasks that have these labels when it is asked for: `team=shop`. */
            label?: string;
            /**
             * @description Only the newest of each task; the older ones end as missed.
             * @default false
             */
            latestOnly?: boolean;
            /** @description Only these, by their ids: rows of `GET /v1/recovery/runs`. The others stay held. */
            runs?: string[];
        } | {
            /** @constant */
            action: "pause";
            /** @description The tasks that have these labels: `team=shop`. */
            label: string;
            untilAt?: string | null;
        } | {
            /** @constant */
            action: "resume";
            /** @description The tasks that have these labels: `team=shop`. */
            label: string;
        } | {
            /** @constant */
            action: "trigger";
            /** @description The tasks that have these labels: `team=shop`. */
            label: string;
        };
        BulkStarted: {
            id: string;
        };
        BulkResultsPage: {
            items: components["schemas"]["BulkResult"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
            counts: {
                total: number;
                done: number;
                dropped: number;
                /** @description Those that had moved on by then. */
                passed: number;
                refusedCount: number;
                refused: {
                    runId: string | null;
                    taskName: string;
                    why: string;
                }[];
            } | null;
        };
        BulkResult: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            /**
             * @description `dropped`: a held run that ended as missed, for a newer one that goes on.
             * @enum {string}
             */
            outcome: "done" | "dropped";
            /** @description Null: it was done to a task. */
            runId: string | null;
            /** @description Null: the run was pruned. */
            taskName: string | null;
            /** @description The run that was made: the rerun of a run, the run of a task that was triggered. Null: none was. */
            newRunId: string | null;
        };
        BulkPreview: {
            total: number;
            dropped: number;
            first: components["schemas"]["Run"][];
            firstTasks: string[];
        };
        Run: {
            id: string;
            taskName: string;
            taskVersion: number;
            origin: components["schemas"]["RunOrigin"];
            state: components["schemas"]["RunState"];
            /** @description Why it is in this state; null: nothing is to be said. */
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            scheduledFor: string;
            /**
             * Format: date-time
             * @description When its row was made.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            dueAt: string;
            /** @description The start deadline of its first attempt; null: it has none. */
            startBy: string | null;
            startedAt: string | null;
            finishedAt: string | null;
            key: string;
            /** @description The key was given for this run, and is not that of its task. */
            ownKey: boolean;
            pool: string;
            /** @description 0: not begun yet. */
            attempt: number;
            /** @description How many workers have vanished under it. */
            lost: number;
            worker: string | null;
            /** @description The worker that it belongs to, by the `runOn` of its task. */
            ofWorker: string | null;
            fence: string | null;
            exitCode: number | null;
            error: components["schemas"]["RunError"] | null;
            /** @description Left out for whom has not the right `read-payload`. */
            output?: unknown;
            /** @description Left out for whom has not the right `read-payload`. */
            progress?: {
                done: number;
                total: number | null;
                note: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
            } | null;
            /** @description The run's own; null: the task's. Left out for whom has not the right `read-payload`. */
            payload?: unknown;
            requestedBy: string | null;
            cancelRequestedAt: string | null;
            cancelRequestedBy: string | null;
            cancelReason: string | null;
            /** @description The run that held the key, or holds it while this one waits. */
            blockedBy: string | null;
            waitingSince: string | null;
            waitUntil: string | null;
            rerunOf: string | null;
            /** @description The run that it follows, or is a child of. */
            causeRunId: string | null;
            /** @description The span that its trace continues (W3C Trace Context). */
            traceparent: string | null;
            /** @description With `occurrences` above 1: the row stands for a stretch up to here. */
            untilAt: string | null;
            occurrences: number;
        };
        /** @enum {string} */
        RunOrigin: "schedule" | "catch_up" | "backfill" | "trigger" | "rerun" | "chain" | "lifecycle";
        RunError: {
            name: string;
            message: string;
            stack?: string;
            /** @description Its own fields. */
            fields?: {
                [key: string]: unknown;
            };
            cause?: components["schemas"]["RunError"];
        };
        Calendars: {
            items: components["schemas"]["CalendarInUse"][];
        };
        CalendarInUse: {
            name: string;
            version: number;
            definition: components["schemas"]["CalendarDefinition"];
            savedBy: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            savedAt: string;
            tasks: string[];
        };
        /**
         * @example {
         *       "timeZone": "Europe/Berlin",
         *       "entries": [
         *         {
         *           "dates": [
         *             "2026-12-25"
         *           ]
         *         }
         *       ]
         *     }
         */
        CalendarDefinition: {
            description?: string;
            timeZone: string;
            entries: {
                name?: string;
                dates?: string[];
                weekdays?: ("SUN" | "MON" | "TUE" | "WED" | "THU" | "FRI" | "SAT")[];
                from?: string;
                to?: string;
                hours?: string[];
            }[];
        };
        CalendarDeleted: {
            /** @constant */
            deleted: true;
        };
        CalendarSaved: {
            /** @enum {string} */
            kind: "created" | "updated" | "unchanged";
            version: number;
            tasks: string[];
        };
        CalendarEffect: {
            year: number;
            /** @description The days of the year of which it excludes something. */
            days: {
                /** @description As in 2026-12-25, in the zone of the calendar. */
                date: string;
                /** @description All of the day is in it, by the clock on the wall. */
                isWhole: boolean;
                /** @description The times of day that are in it: `18:00-24:00`, from, included, up to, not included. */
                hours: string[];
                /** @description The entries that hold, by name or in words. */
                entries: string[];
            }[];
            /** @description The tasks that use it: the first 50 by name. */
            tasks: {
                id: string;
                name: string;
                /** @description On whose clock its schedule is; null: on none. */
                timeZone: string | null;
                /** @description To which day an occurrence is moved; null: it is skipped. */
                shift: ("next" | "previous") | null;
                /** @description The next occurrences of its schedule that are in the calendar: at most 5, within a year. */
                leftOut: {
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    at: string;
                    reason: string;
                }[];
                /** @description When it runs next, with all its calendars: at most 3, within a year. */
                next: string[];
            }[];
            /** @description How many use it. */
            taskCount: number;
        };
        Deliveries: {
            items: components["schemas"]["Delivery"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        Delivery: {
            id: string;
            receiver: string;
            /** @enum {string} */
            state: "pending" | "sent" | "dropped";
            tries: number;
            alerts: string[];
            error: string | null;
            text: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
            endedAt: string | null;
            tryAt: string | null;
        };
        Examination: {
            /** @description Without a problem. */
            ok: boolean;
            findings: {
                /** @description What it is about: `Postgres`, `Redis`, `Schedulers`, `Workers`. */
                subject: string;
                /**
                 * @description `problem`: something does not work, or may lose data. `warning`: worth knowing.
                 * @enum {string}
                 */
                level: "ok" | "warning" | "problem";
                detail: string;
                /** @description What to do about it. */
                fix?: string;
                /** @description The page of the documents that says more, with its heading: a path in the repository, and in the package `escapement`. Every finding of `production` has one. */
                page?: string;
            }[];
        };
        QueueExamination: {
            /** @description Without a problem. */
            ok: boolean;
            problems: string[];
            drift: {
                /** @enum {string} */
                kind: "lost_run" | "cancel_pending" | "late_start" | "decided" | "left_behind" | "deleted_task" | "gone_worker" | "lost_wake_up" | "overwaited" | "missing_job" | "stuck_job" | "extra_job" | "dead_slot" | "dead_lease";
                /** @description What the second look found. */
                found: number;
                /** @description What both found, although a reconciler makes a pass each second. */
                lasting: number;
                examples: string[];
                repairedAt: string | null;
                /** @description How many were ever repaired. */
                repaired: string;
            }[];
            /** @description When each reconciler last began a pass. */
            passes: {
                [key: string]: string;
            };
        };
        ErrorGroups: {
            items: components["schemas"]["ErrorGroup"][];
            total: number;
            /** @description How many there are, in whatever state and since whenever. */
            ofAllStates: number;
            lookedBackTo: string | null;
        };
        ErrorGroup: {
            fingerprint: string;
            /** @description The class of the error; null: none was thrown. */
            name: string | null;
            /** @description With `#` for numbers and ids. */
            message: string;
            /** @description What the last one of them said, with its numbers and ids. */
            example: string;
            /** @description The first place of the stack that is no library. */
            frame: string | null;
            count: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            lastAt: string;
            /**
             * Format: date-time
             * @description When the first failure of all ended that the ledger has of these tasks, also before `since`.
             */
            firstSeenAt: string;
            /** @description The release (`ESCAPEMENT_RELEASE`) of the code that this first failure ran with; null: not known, or its task is not in the code of its worker. */
            firstRelease: string | null;
            /** @description The release of the same application before `firstRelease`; null: not known, or there was none with a name. */
            releaseBefore: string | null;
            lastRunId: string;
            /** @description Those that failed most, at most ten. */
            tasks: {
                name: string;
                count: number;
            }[];
            taskCount: number;
            hours: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                count: number;
            }[];
            /**
             * @description `back`: it was resolved, and has failed since.
             * @enum {string}
             */
            state: "open" | "resolved" | "muted" | "back";
            status: {
                resolvedAt: string | null;
                mutedUntil: string | null;
                by: string;
                note: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                changedAt: string;
            } | null;
        };
        ErrorChanged: {
            fingerprint: string;
        };
        RedriveCount: {
            total: number;
        };
        ErrorRedriven: {
            id: string;
        };
        CrontabExport: {
            text: string;
            /** @description Tasks that cron cannot express, and why. */
            left: {
                name: string;
                reason: string;
            }[];
        };
        K8sExport: {
            manifests: {
                task: string;
                manifest: {
                    [key: string]: unknown;
                };
                /** @description What the CronJob does otherwise than the task. */
                differs: string[];
            }[];
            /** @description Tasks that cannot be expressed, and why. */
            left: {
                name: string;
                reason: string;
            }[];
        };
        SystemdExport: {
            files: {
                name: string;
                text: string;
            }[];
            /** @description Tasks that cannot be expressed, and why. */
            left: {
                name: string;
                reason: string;
            }[];
        };
        FleetFigures: {
            /** @description Since a scheduler last completed a pass of planning; null: none ever did. */
            plannerPassAgeMs: number | null;
            /** @description How long the task that has waited longest to be planned is overdue. */
            plannerLagMs: number;
            /** @description Tasks that cannot be planned. */
            unplannable: number;
            /** @description Runs that wait for a person after an outage. */
            held: number;
            /** @description Runs of which nobody knows what became of them. */
            unknown: number;
            keysWaitedFor: number;
            slotsHeld: number;
            deliveriesPending: number;
            alertsFiring: number;
            frozen: boolean;
            /** @description That are alive. */
            schedulers: number;
            pools: {
                pool: string;
                queued: number;
                /** @description Of those, due for over a second. */
                overdue: number;
                /** @description For how long the one that has waited longest is overdue. */
                longestMs: number;
                running: number;
                /** @description For their key. */
                waiting: number;
                /** @description Due for over a second, and no worker could load their code. */
                withoutCode: number;
                /** @description That are alive. */
                workers: number;
                expectedWorkers: number | null;
                paused: boolean;
            }[];
        };
        Forecast: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            from: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            to: string;
            tasks: number;
            runs: number;
            pieces: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                to: string;
                starts: number;
                p50: {
                    runs: number;
                    /** @description When it is reached first. */
                    at: string | null;
                };
                p95: {
                    runs: number;
                    /** @description When it is reached first. */
                    at: string | null;
                };
            }[];
            pools: {
                pool: string;
                runs: number;
                capacity: number;
                p50: {
                    runs: number;
                    /** @description When it is reached first. */
                    at: string | null;
                };
                p95: {
                    runs: number;
                    /** @description When it is reached first. */
                    at: string | null;
                };
            }[];
            keys: {
                key: string;
                limit: number;
                tasks: string[];
                runs: number;
                p50: {
                    wait: number;
                    longestWaitMs: number;
                    skipped: number;
                    replace: number;
                    firstAt: string | null;
                };
                p95: {
                    wait: number;
                    longestWaitMs: number;
                    skipped: number;
                    replace: number;
                    firstAt: string | null;
                };
            }[];
            /** @description Runs with the `key` of the query that may be at work at once; null: none is in it, or its tasks take no slot. */
            keyLimit: number | null;
            notRun: {
                paused: number;
                excluded: number;
            };
            unmeasured: {
                tasks: number;
                runs: number;
                first: string[];
            };
            untimed: number;
            clockChanges: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                message: string;
                fix?: string;
            }[];
            unplannable: string[];
        };
        ExportedCalendar: {
            /** @description The iCalendar (RFC 5545). */
            text: string;
            events: {
                /** @description The same for the same occurrence. */
                uid: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                lengthMs: number;
                summary: string;
                description: string;
                category: string;
            }[];
            left: {
                tooOften: string[];
                /** @description They start at no time that is known. */
                untimed: string[];
                unplannable: string[];
            };
        };
        ForecastRows: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            now: string;
            /** @description Where each piece before now begins. */
            past: string[];
            /** @description Where each piece from now on begins; the first one is now. */
            ahead: string[];
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            to: string;
            rows: {
                /** @description Of the task, or the key. */
                name: string;
                /** @description At most 20. */
                tasks: {
                    id: string;
                    name: string;
                }[];
                /** @description What became of the runs that were due in each piece of `past`, and have ended. */
                past: {
                    succeeded: number;
                    failed: number;
                    missed: number;
                    notRun: number;
                }[];
                /** @description Starts in each piece of `ahead`; null: more than 50,000, which are not counted. */
                ahead: number[] | null;
                /** @description How long half of its runs take at most; null: it is not known. */
                p50Ms: number | null;
            }[];
            /** @description So many more have starts ahead. */
            left: number;
        };
        QuietSlots: {
            minutes: number;
            days: number;
            timeZone: string;
            slots: {
                /** @description Since midnight. */
                minute: number;
                /** @description At work at once beside it, if runs take as long as half of their task do. */
                p50: number;
                /** @description If they take as long as only 5 % do. */
                p95: number;
                /** @description Runs that start while it is at work, over all days. */
                starts: number;
                /** @description As 01:05. */
                time: string;
                /** @description The cron expression of the slot. */
                expression: string;
            }[];
            unmeasured: {
                tasks: number;
                runs: number;
                first: string[];
            };
        };
        Unfrozen: {
            ended: boolean;
        };
        FreezeNow: {
            freeze: components["schemas"]["Freeze"] | null;
        };
        Freeze: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            fromAt: string;
            untilAt: string | null;
            note: string;
            createdBy: string;
        };
        Frozen: {
            untilAt: string | null;
        };
        CrontabReport: {
            source: string;
            written: boolean;
            compared: boolean;
            counts: {
                create: number;
                update: number;
                unchanged: number;
                duplicate: number;
                /** @description Lines that would have been written, and were not chosen. */
                left: number;
                refused: number;
                /** @description Of the refused: their tasks could not be saved. */
                failed: number;
                /** @description Tasks whose line is gone. */
                removed: number;
                /** @description Lines with an address in MAILTO. */
                mailed: number;
                /** @description Lines without MAILTO. */
                silent: number;
            };
            lines: components["schemas"]["CrontabLine"][];
            removed: {
                task: string;
                schedule: string;
                command: string;
                deleted: boolean;
            }[];
            /** @description What is to be known of the whole file. */
            notes: string[];
        };
        CrontabLine: {
            line: number;
            /** @description Secrets in it are `***`. */
            text: string;
            /**
             * @description `left`: it was not chosen. `duplicate`: a task of another source does the same at the same times. `refused`: the first note says why.
             * @enum {string}
             */
            action: "create" | "update" | "unchanged" | "duplicate" | "refused" | "created" | "updated" | "left";
            task: string | null;
            schedule: string | null;
            /** @description When it runs, in words. */
            meaning: string | null;
            timeZone: string | null;
            nextRun: string | null;
            notes: string[];
            /** @description What people have edited of its task, and the line takes back. */
            undoes: {
                version: number;
                by: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                note: string | null;
                fields: string[];
            }[];
        };
        Key: {
            key: string;
            /** @description False: no scheduler told of the leases in Redis. */
            leasesKnown: boolean;
            /** @description Why nothing is known of them; null: it is. */
            leasesUnknown: string | null;
            slots: components["schemas"]["KeySlot"][];
            rates: components["schemas"]["Rate"][];
            runs: {
                runId: string;
                taskName: string;
                state: components["schemas"]["RunState"];
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                scheduledFor: string;
                worker: string | null;
                startedAt: string | null;
                blockedBy: string | null;
            }[];
            audit: components["schemas"]["AuditEntry"][];
        };
        KeySlot: {
            key: string;
            slot: number;
            limit: number | null;
            fence: string | null;
            holder: {
                runId: string;
                state: components["schemas"]["RunState"] | null;
                taskName: string | null;
                attempt: number;
                worker: string | null;
                since: string | null;
            } | null;
            /** @description Runs that wait for the key. */
            waiting: number;
            /** @enum {string} */
            state: "free" | "running" | "between attempts" | "reserved" | "ended" | "leased";
            lease: {
                key: string;
                slot: number;
                runId: string;
                worker: string;
                dispatch: number;
                since: string;
                expiresInMs: number;
            } | null;
            /** @description What does not fit together. */
            remark: string | null;
        };
        Rate: {
            rateKey: string;
            pool: string | null;
            limit: number;
            perMs: number;
            started: number;
            waiting: number;
            nextAt: string | null;
        };
        AuditEntry: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            principal: components["schemas"]["Principal"];
            action: string;
            reason: string | null;
            detail: {
                [key: string]: unknown;
            };
            before: unknown;
            after: unknown;
            requestId: string | null;
            refused: boolean;
        };
        KeyHistory: {
            items: components["schemas"]["AuditEntry"][];
        };
        KeyReleased: {
            slot: components["schemas"]["KeySlot"];
            /** @description Null: the ledger knew of nobody, there was only a lease. */
            inLedger: {
                /** @description The run ends as `cancelled`; false: it had ended. */
                cancelled: boolean;
                /** @description Results under a smaller one are refused. */
                fence: string;
                /** @description Runs that are the next. */
                woken: string[];
            } | null;
            leaseDeleted: boolean;
            /** @description False: Redis hears of it within seconds. */
            redisNotified: boolean;
            /** @description Why Redis does not know yet; null: it does. */
            redisError: string | null;
        };
        Keys: {
            /** @description False: no scheduler told of the leases in Redis. */
            leasesKnown: boolean;
            /** @description Why nothing is known of them; null: it is. */
            leasesUnknown: string | null;
            items: components["schemas"]["KeySlot"][];
        };
        LedgerVerifications: {
            items: components["schemas"]["LedgerVerification"][];
        };
        LedgerVerification: {
            id: string;
            /** @description Only this task was compared; null: all were. */
            task: string | null;
            /** @description Only tasks with these labels were compared; null: all were. */
            label: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            from: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            to: string;
            askedBy: components["schemas"]["Principal"];
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            askedAt: string;
            answeredAt: string | null;
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed";
            /** @description Without a gap; null: it is not known yet. */
            ok: boolean | null;
            /** @description What was compared until `verifiedTo`; null: no scheduler has begun. */
            found: {
                verifiedTo: string;
                tasks: number;
                expected: number;
                rows: number;
                findings: number;
                gaps: number;
                named: {
                    kind: string;
                    task: string;
                    scheduledFor: string;
                    runId: string | null;
                    detail: string;
                }[];
                /**
                 * @description What no comparison can find in that time, where the ledger was noticed to be a copy or to have lost its last commits; told at the end.
                 * @default null
                 */
                unseen?: string | null;
            } | null;
            error: {
                code: string;
                message: string;
            } | null;
        };
        LedgerVerificationStarted: {
            id: string;
        };
        Me: {
            principal: components["schemas"]["Principal"];
            namespace: string;
            grants: {
                /** @enum {string} */
                role: "reporter" | "viewer" | "operator" | "editor" | "admin";
                /** @description Beside those of the role. */
                rights: ("read-payload" | "shell" | "run-as" | "secrets" | "webhooks")[];
                /** @description All that it may do. */
                allRights: string[];
                /** @description The labels of the tasks that it is for; null: all, and all else. */
                scope: string | null;
            }[];
        };
        Monitors: {
            items: components["schemas"]["Monitor"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        Monitor: {
            id: string;
            name: string;
            schedule: {
                [key: string]: unknown;
            };
            graceMs: number;
            maxRunMs: number | null;
            labels: {
                [key: string]: string;
            };
            /**
             * @description `new`: no ping has come, and none is due. `late`: a ping is due, and may still come. `down`: something is wrong.
             * @enum {string}
             */
            state: "new" | "up" | "running" | "late" | "down" | "paused";
            troubles: {
                /** @enum {string} */
                kind: "missed" | "failed" | "slow";
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                since: string;
            }[];
            lastPingAt: string | null;
            lastKind: ("start" | "success" | "fail" | "log") | null;
            lastSuccessAt: string | null;
            /** @description The first failure since the last success; null: there was none. */
            failedAt: string | null;
            exitStatus: number | null;
            running: {
                rid: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                startedAt: string;
            }[];
            dueAt: string | null;
            /** @description How many have come. */
            pings: string;
            pause: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                untilAt: string | null;
                by: string | null;
                note: string | null;
            } | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
            createdBy: string;
        };
        PingUrl: {
            name: string;
            /** @description Who has it may ping. It is told here, and never again. */
            pingId: string;
            /** @description Of the API: `/ping/ID`. */
            path: string;
            /** @description The whole URL; null: ESCAPEMENT_API_URL does not say where the API is. */
            url: string | null;
        };
        MonitorDeleted: {
            name: string;
        };
        Pings: {
            items: components["schemas"]["Ping"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        Ping: {
            seq: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            /** @enum {string} */
            kind: "start" | "success" | "fail" | "log";
            exitStatus: number | null;
            /** @description Its run, as the job calls it. */
            rid: string | null;
            /** @description Since the start that it ends. */
            durationMs: number | null;
            method: string;
            address: string | null;
            /** @description The first 10 KiB of what came with it, masked. */
            body: string | null;
            bodyBytes: number;
        };
        MonitorResumed: {
            name: string;
            wasPaused: boolean;
        };
        Pools: {
            items: components["schemas"]["Pool"][];
        };
        Pool: {
            name: string;
            pause: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                fromAt: string;
                untilAt: string | null;
                note: string | null;
                by: string;
            } | null;
            expectedWorkers: number | null;
            workers: string[];
            priorities: boolean;
            rate: components["schemas"]["Rate"] | null;
            tasks: number;
            /** @description Runs that are due and have not begun. */
            waiting: number;
            running: number;
            /** @description When the run that has waited longest was due; null: none waits. */
            oldestDueAt: string | null;
            queues: {
                need: string | null;
                app: string | null;
                workers: number;
                tasks: number;
                waiting: number;
                running: number;
            }[];
            createdAt: string | null;
            updatedAt: string | null;
        };
        PoolDemand: {
            /** @description Places at workers that are wanted: the sum of the following. */
            runs: number;
            /** @description Runs at work. */
            running: number;
            /** @description Runs that are due and have not begun; 0 while the pool is paused for longer than leadMs. */
            due: number;
            /** @description Keys for which runs wait, each counted once; 0 as above. */
            waiting: number;
            /** @description Tasks with a run that falls due within leadMs, each counted once; 0 as above. */
            soon: number;
        };
        PoolPaused: {
            untilAt: string | null;
        };
        PoolResumed: {
            resumed: boolean;
        };
        /**
         * @example {
         *       "name": "nightly",
         *       "schedule": {
         *         "kind": "cron",
         *         "expression": "30 2 * * *",
         *         "timeZone": "Europe/Berlin"
         *       },
         *       "handler": {
         *         "type": "shell",
         *         "command": "pg_dump shop"
         *       }
         *     }
         */
        TaskDefinition: {
            name: string;
            description?: string;
            labels?: {
                [key: string]: string;
            };
            /**
             * @default {
             *       "kind": "manual"
             *     }
             */
            schedule?: {
                /** @constant */
                kind: "cron";
                expression: string;
                /** @enum {string} */
                dialect?: "unix" | "vixie" | "quartz";
                timeZone: string;
                /** @enum {string} */
                dayMatch?: "or" | "and";
                dayOffset?: number;
                workingDayOffset?: number;
                dst?: {
                    /** @enum {string} */
                    gap?: "next-valid" | "shift" | "skip";
                    /** @enum {string} */
                    overlap?: "first" | "second" | "both";
                };
                /** Format: date-time */
                startAt?: string;
                /** Format: date-time */
                endAt?: string;
                maxRuns?: number;
                jitterMs?: number;
            } | {
                /** @constant */
                kind: "every";
                everyMs: number;
                phaseMs?: number;
                /** Format: date-time */
                anchor?: string;
                /** Format: date-time */
                startAt?: string;
                /** Format: date-time */
                endAt?: string;
                maxRuns?: number;
                jitterMs?: number;
            } | {
                /** @constant */
                kind: "fixed-delay";
                delayMs: number;
                /** Format: date-time */
                startAt?: string;
                /** Format: date-time */
                endAt?: string;
                maxRuns?: number;
                jitterMs?: number;
            } | {
                /** @constant */
                kind: "rrule";
                rule: string;
                dtStart: string;
                timeZone: string;
                exDates?: string[];
                rDates?: string[];
                /** Format: date-time */
                startAt?: string;
                /** Format: date-time */
                endAt?: string;
                maxRuns?: number;
                jitterMs?: number;
            } | {
                /** @constant */
                kind: "once";
                /** Format: date-time */
                at: string;
                /** Format: date-time */
                startAt?: string;
                /** Format: date-time */
                endAt?: string;
                maxRuns?: number;
                jitterMs?: number;
            } | {
                /** @constant */
                kind: "manual";
                /** Format: date-time */
                startAt?: string;
                /** Format: date-time */
                endAt?: string;
                maxRuns?: number;
                jitterMs?: number;
            };
            calendars?: {
                exclude: string[];
                /** @enum {string} */
                shift?: "next" | "previous";
                workingDayOffset?: number;
            };
            handler: {
                /** @constant */
                type: "shell";
                isolation?: unknown;
                command?: string;
                argv?: string[];
                shell?: string;
                env?: {
                    [key: string]: string | {
                        secret: string;
                    };
                };
                cwd?: string;
                user?: string;
                stdin?: string;
                messages?: boolean;
                maxOutputBytes?: number;
            } | {
                /** @constant */
                type: "http";
                isolation?: unknown;
                /** Format: uri */
                url: string;
                /** @enum {string} */
                method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
                headers?: {
                    [key: string]: string | {
                        secret: string;
                    };
                };
                body?: unknown;
                expectStatus?: (number | string)[];
                retryStatus?: (number | string)[];
                /** @enum {string} */
                output?: "body" | "messages";
                maxResponseBytes?: number;
            } | {
                /** @constant */
                type: "code";
                name: string;
                /** @enum {string} */
                isolation?: "process" | "inline";
                memoryLimitMb?: number;
                secrets?: string[];
            };
            payload?: unknown;
            key?: string;
            /** @default 1 */
            limit?: number;
            rate?: {
                limit: number;
                perMs: number;
                key?: string;
            };
            misfireThresholdMs?: number;
            catchUp?: ("none" | "latest" | "earliest" | "all" | "ask") | ({
                /** @constant */
                policy: "none";
            } | {
                /** @constant */
                policy: "latest";
                withinMs?: number;
                staggerMs?: number;
            } | {
                /** @constant */
                policy: "earliest";
                withinMs?: number;
                staggerMs?: number;
            } | {
                /** @constant */
                policy: "all";
                withinMs?: number;
                max?: number;
                staggerMs?: number;
            } | {
                /** @constant */
                policy: "ask";
                withinMs?: number;
                max?: number;
            });
            overlap?: {
                /** @constant */
                policy: "skip";
                skipAfterMs?: number;
            } | {
                /** @constant */
                policy: "wait-one";
            } | {
                /** @constant */
                policy: "wait-all";
                maxWaiting?: number;
                maxWaitMs?: number;
            } | {
                /** @constant */
                policy: "replace";
            } | {
                /** @constant */
                policy: "allow";
            };
            /** @default 3600000 */
            timeoutMs?: number;
            startDeadlineMs?: number;
            heartbeatTimeoutMs?: number;
            /**
             * @default {
             *       "maxAttempts": 1
             *     }
             */
            retry?: {
                maxAttempts: number;
                backoff?: {
                    /** @constant */
                    kind: "fixed";
                    delayMs: number;
                } | {
                    /** @constant */
                    kind: "exponential";
                    delayMs: number;
                    capMs?: number;
                    jitter?: number;
                };
            };
            /**
             * @default at-least-once
             * @enum {string}
             */
            delivery?: "at-least-once" | "at-most-once";
            /** @default 3 */
            maxLost?: number;
            pauseAfterFailures?: number;
            /** @default default */
            pool?: string;
            /** @enum {string} */
            runOn?: "every-worker";
            priority?: number;
            state?: {
                /** @default 1 */
                version?: number;
            };
            then?: {
                task: string;
                /**
                 * @default success
                 * @enum {string}
                 */
                when?: "success" | "failure" | "always";
                payload?: unknown;
            }[];
            onStart?: string;
            onSuccess?: string;
            onFailure?: string;
            onFinish?: string;
            onSkip?: string;
            onMisfire?: string;
            onLate?: string;
            lateAfterMs?: number;
            onFleetStart?: boolean;
            shadow?: {
                line: string;
            };
            notify?: {
                email?: string[];
                webhook?: string[];
                none?: boolean;
            };
            /** @default 30 */
            retentionDays?: number;
        };
        ReceiverTested: {
            id: string;
        };
        HeldTasks: {
            items: components["schemas"]["HeldTask"][];
        };
        HeldTask: {
            task: string;
            taskId: string;
            /** @description What the task is for. */
            description: string | null;
            /** @description Of the task: those with a higher one go on first. */
            priority: number;
            held: number;
            /** @description Why the newest of them is held. */
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            lastAt: string;
        };
        HeldRuns: {
            items: components["schemas"]["HeldRun"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        HeldRun: {
            id: string;
            task: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            scheduledFor: string;
            key: string;
            /** @description Of its task. */
            priority: number;
            /** @description Why it is held. */
            reason: string | null;
            /** @description No later run of its task is held: `latestOnly` lets it go. */
            newest: boolean;
        };
        RunPage: {
            items: components["schemas"]["Run"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
            /** @description By origin or error only the latest runs were looked through, back to there; `next` goes on. Null: all were. */
            lookedBackTo: string | null;
        };
        TaskTriggered: {
            runs: {
                id: string;
                worker: string | null;
            }[];
        };
        RunDescription: {
            id: string;
            taskName: string;
            taskVersion: number;
            origin: components["schemas"]["RunOrigin"];
            state: components["schemas"]["RunState"];
            /** @description Why it is in this state; null: nothing is to be said. */
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            scheduledFor: string;
            /**
             * Format: date-time
             * @description When its row was made.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            dueAt: string;
            /** @description The start deadline of its first attempt; null: it has none. */
            startBy: string | null;
            startedAt: string | null;
            finishedAt: string | null;
            key: string;
            /** @description The key was given for this run, and is not that of its task. */
            ownKey: boolean;
            pool: string;
            /** @description 0: not begun yet. */
            attempt: number;
            /** @description How many workers have vanished under it. */
            lost: number;
            worker: string | null;
            /** @description The worker that it belongs to, by the `runOn` of its task. */
            ofWorker: string | null;
            fence: string | null;
            exitCode: number | null;
            error: components["schemas"]["RunError"] | null;
            /** @description Left out for whom has not the right `read-payload`. */
            output?: unknown;
            /** @description Left out for whom has not the right `read-payload`. */
            progress?: {
                done: number;
                total: number | null;
                note: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
            } | null;
            /** @description The run's own; null: the task's. Left out for whom has not the right `read-payload`. */
            payload?: unknown;
            requestedBy: string | null;
            cancelRequestedAt: string | null;
            cancelRequestedBy: string | null;
            cancelReason: string | null;
            /** @description The run that held the key, or holds it while this one waits. */
            blockedBy: string | null;
            waitingSince: string | null;
            waitUntil: string | null;
            rerunOf: string | null;
            /** @description The run that it follows, or is a child of. */
            causeRunId: string | null;
            /** @description The span that its trace continues (W3C Trace Context). */
            traceparent: string | null;
            /** @description With `occurrences` above 1: the row stands for a stretch up to here. */
            untilAt: string | null;
            occurrences: number;
            traceUrl: string | null;
            /** @description Where the time went between when it was due and when it began; null: it has not begun, or was tried again. */
            lateness: {
                totalMs: number;
                /** @description Until its row was made. */
                plannedMs: number;
                /** @description It waited for its key or a rate. */
                waitedMs: number;
                /** @description The rest: until a worker had taken it from the queue and begun it. */
                queuedMs: number;
            } | null;
            /** @description The rate that it waits for. */
            rate: {
                rateKey: string;
                pool: string | null;
                limit: number;
                perMs: number;
                started: number;
                waiting: number;
                nextAt: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                turnAt: string;
                ahead: number;
            } | null;
            /** @description Why it has not begun. */
            heldBack: components["schemas"]["Waits"] | null;
            /** @description Why its success is suspicious. */
            marks: {
                rule: string;
                detail: string;
            }[];
            /** @description The earlier ones. */
            attempts: components["schemas"]["Attempt"][];
            audit: components["schemas"]["AuditEntry"][];
            batches: components["schemas"]["Batch"][];
            followers: components["schemas"]["TreeRun"][];
            followersOutbox: components["schemas"]["OutboxEntry"][];
        };
        /** @description Why something waits, and what helps. */
        Waits: {
            code: string;
            reason: string;
            advice: string;
        };
        Attempt: {
            attempt: number;
            /** @enum {string} */
            outcome: "failed" | "timed_out" | "lost" | "interrupted";
            reason: string | null;
            worker: string | null;
            fence: string | null;
            startedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            finishedAt: string;
            exitCode: number | null;
            error: components["schemas"]["RunError"] | null;
        };
        TreeRun: {
            id: string;
            taskName: string;
            origin: components["schemas"]["RunOrigin"];
            state: components["schemas"]["RunState"];
            reason: string | null;
            attempt: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            scheduledFor: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            dueAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            causeRunId: string | null;
            ordinal: number | null;
            rerunOf: string | null;
            batchId: string | null;
            event: string | null;
        };
        OutboxEntry: {
            runId: string;
            /** @enum {string} */
            event: "started" | "finished" | "chain" | "next";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            notBefore: string;
            tries: number;
            error: string | null;
            givenUpAt: string | null;
        };
        RunCancelled: {
            id: string;
            task: string;
            /** @description Before. */
            state: components["schemas"]["RunState"];
            /**
             * @description `requested`: a worker runs it and will stop it. `batches_cancelled`: it had ended, but not its fan-outs.
             * @enum {string}
             */
            kind: "cancelled" | "requested" | "batches_cancelled";
            /** @description With `batches_cancelled`: of which fan-outs. */
            batches?: string[];
        };
        LogChunks: {
            items: {
                attempt: number;
                seq: number;
                text: string;
            }[];
        };
        RunRerun: {
            id: string;
            task: string;
            rerunOf: string;
        };
        RunResolved: {
            id: string;
            task: string;
            rerunId: string | null;
        };
        RunTree: {
            runs: components["schemas"]["TreeRun"][];
            followersOutbox: components["schemas"]["OutboxEntry"][];
            more: {
                runId: string;
                counts: {
                    [key: string]: number;
                };
            }[];
        };
        RunChanges: {
            items: components["schemas"]["RunStatus"][];
            /** @description For `after`, in a second or so; at once where there is more. */
            next: string;
            more: boolean;
        };
        RunStatus: {
            id: string;
            state: components["schemas"]["RunState"];
            attempt: number;
        };
        RunCounts: {
            states: {
                [key: string]: {
                    count: number;
                    /** @description False: there are more than 10000. */
                    exact: boolean;
                };
            };
            lookedBackTo: string | null;
        };
        LongestRuns: {
            items: components["schemas"]["RunningRun"][];
        };
        RunningRun: {
            id: string;
            taskName: string;
            taskVersion: number;
            origin: components["schemas"]["RunOrigin"];
            state: components["schemas"]["RunState"];
            /** @description Why it is in this state; null: nothing is to be said. */
            reason: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            scheduledFor: string;
            /**
             * Format: date-time
             * @description When its row was made.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            dueAt: string;
            /** @description The start deadline of its first attempt; null: it has none. */
            startBy: string | null;
            startedAt: string | null;
            finishedAt: string | null;
            key: string;
            /** @description The key was given for this run, and is not that of its task. */
            ownKey: boolean;
            pool: string;
            /** @description 0: not begun yet. */
            attempt: number;
            /** @description How many workers have vanished under it. */
            lost: number;
            worker: string | null;
            /** @description The worker that it belongs to, by the `runOn` of its task. */
            ofWorker: string | null;
            fence: string | null;
            exitCode: number | null;
            error: components["schemas"]["RunError"] | null;
            /** @description Left out for whom has not the right `read-payload`. */
            output?: unknown;
            /** @description Left out for whom has not the right `read-payload`. */
            progress?: {
                done: number;
                total: number | null;
                note: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
            } | null;
            /** @description The run's own; null: the task's. Left out for whom has not the right `read-payload`. */
            payload?: unknown;
            requestedBy: string | null;
            cancelRequestedAt: string | null;
            cancelRequestedBy: string | null;
            cancelReason: string | null;
            /** @description The run that held the key, or holds it while this one waits. */
            blockedBy: string | null;
            waitingSince: string | null;
            waitUntil: string | null;
            rerunOf: string | null;
            /** @description The run that it follows, or is a child of. */
            causeRunId: string | null;
            /** @description The span that its trace continues (W3C Trace Context). */
            traceparent: string | null;
            /** @description With `occurrences` above 1: the row stands for a stretch up to here. */
            untilAt: string | null;
            occurrences: number;
            /** @description How long runs of its task took, in the latest hours that are over: half of them at most `p50Ms`, 99 of 100 at most `p99Ms`, both at most 5 % off. Null: none is known. */
            usual: {
                p50Ms: number;
                p99Ms: number;
                runs: number;
            } | null;
        };
        Schedulers: {
            items: components["schemas"]["Scheduler"][];
        };
        Scheduler: {
            id: string;
            host: string;
            pid: number;
            appVersion: string;
            tzVersion: string | null;
            heartbeatAgeMs: number;
            /** @description Since it last completed a planner pass. */
            plannedAgeMs: number | null;
            clockOffsetMs: number | null;
        };
        SignedOut: {
            user: string;
        };
        Session: {
            /** @description The name of the user. */
            user: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            signedInAt: string;
            /**
             * Format: date-time
             * @description When it is over if it is not used any more.
             */
            idleEndsAt: string;
            /**
             * Format: date-time
             * @description When it is over in any case.
             */
            endsAt: string;
        };
        SignInWays: {
            /** @description At an OpenID provider: `GET /v1/session/oidc`. */
            oidc: boolean;
        };
        Shadow: {
            items: components["schemas"]["ShadowedLine"][];
        };
        ShadowedLine: {
            id: string;
            task: string;
            taskId: string;
            source: string;
            meaning: string;
            /** @description As the crontab has it. */
            schedule: string;
            /** @description Without what looks like a secret in it. */
            command: string;
            /** @description As whom it runs; null: as whoever the worker is. */
            user: string | null;
            /** @description Null: nothing was told of it in that time. */
            comparedSince: string | null;
            /**
             * @description `agrees`: each difference is explained. `silent`: no host has told of it in that time.
             * @enum {string}
             */
            state: "agrees" | "differs" | "silent";
            hosts: string[];
            /**
             * @description Who runs it now. `unknown`: its host has not answered a cut-over whose instant has passed.
             * @enum {string}
             */
            side: "cron" | "fleet" | "unknown";
            /** @description The last one that was asked for. */
            cutover: components["schemas"]["Cutover"] | null;
            lastStartedAt: string | null;
            agreed: number;
            /** @description Due so recently that its start may not have been told yet. */
            pending: number;
            /** @description How long after the due time cron started it. */
            offByMs: {
                middle: number;
                most: number;
            } | null;
            tookMs: {
                middle: number;
                most: number;
            } | null;
            exits: {
                exit: string;
                count: number;
            }[];
            /** @description Starts by cron when nothing was due. */
            onlyCron: number;
            /** @description What was due, and was not started. */
            onlyHere: number;
            /** @description Of both, those that nothing explains. */
            unexplained: number;
            /** @description The last ones of both, at most 200. */
            differences: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                /** @enum {string} */
                kind: "only-cron" | "only-here";
                cause: ("clock-change" | "day-fields" | "host-down" | "host-start") | null;
                words: string;
            }[];
        };
        Cutover: {
            /** Format: uuid */
            id: string;
            host: string;
            /** @enum {string} */
            to: "cron" | "fleet";
            /**
             * Format: date-time
             * @description From then on the line is run by the other side.
             */
            at: string;
            /**
             * @description What the host has answered, else what a person has said.
             * @enum {string}
             */
            state: "proposed" | "taken" | "refused";
            askedBy: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            askedAt: string;
            reason: string | null;
            /** @description What a person has said in the place of the host. */
            settled: ("taken" | "refused") | null;
            settledBy: string | null;
            answer: ("taken" | "refused") | null;
            /** @description By the clock of the host. */
            answeredAt: string | null;
        };
        Cutovers: {
            items: components["schemas"]["CutoverChosen"][];
            /** @description Where no lines were named: those that stay as they are. */
            left: {
                line: string;
                task: string;
                why: string;
            }[];
        };
        CutoverChosen: {
            line: string;
            task: string;
            host: string;
            /** @enum {string} */
            to: "cron" | "fleet";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            /**
             * Format: date-time
             * @description The last fire of the side that has the line until then.
             */
            after: string;
            /**
             * Format: date-time
             * @description The first fire of the other side.
             */
            before: string;
            /** @description Why no living worker could run it for the fleet, and what to do; null: one could. */
            waits: {
                reason: string;
                advice: string;
            } | null;
            /** @description cron runs the line at this moment: that goes on. */
            isRunning: boolean;
        };
        CronReportsTaken: {
            taken: number;
            /** @description Cut-overs of these lines that the host has not answered. */
            proposals: components["schemas"]["CutoverProposal"][];
        };
        CutoverProposal: {
            /** Format: uuid */
            id: string;
            line: string;
            /** @enum {string} */
            to: "cron" | "fleet";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            /** @description What a person has said in the place of the host. */
            settled: ("taken" | "refused") | null;
            /**
             * Format: date-time
             * @description The clock of the server: a host whose own differs refuses.
             */
            now: string;
        };
        Silences: {
            items: components["schemas"]["Silence"][];
        };
        Silence: {
            id: string;
            match: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            untilAt: string;
            note: string;
            createdBy: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
        };
        Silenced: {
            id: string;
            /** @description Why it keeps nothing quiet as things are. None: some alert can match. */
            warnings: string[];
        };
        Unsilenced: {
            id: string;
        };
        TaskFound: {
            id: string;
            name: string;
            version: number;
        };
        TasksStats: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            since: string;
            tasks: components["schemas"]["TaskStats"][];
        };
        TaskStats: {
            name: string;
            count: number;
            succeeded: number;
            failed: number;
            /** @description Skipped, missed, superseded or cancelled. */
            notRun: number;
            open: number;
            p50Ms: number | null;
            p95Ms: number | null;
            lastError: {
                runId: string;
                state: components["schemas"]["RunState"];
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                reason: string | null;
                error: components["schemas"]["RunError"] | null;
            } | null;
        };
        TaskVersions: {
            items: components["schemas"]["TaskVersion"][];
        };
        TaskVersion: {
            version: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            savedAt: string;
            savedBy: string;
            source: string;
            note: string | null;
            definition: unknown;
            /** @description Top-level parts in which it differs from the version before; null: it is the first. */
            changed: string[] | null;
        };
        TaskPage: {
            items: components["schemas"]["TaskListed"][];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        TaskListed: {
            id: string;
            name: string;
            formerNames: string[];
            version: number;
            definition: components["schemas"]["StoredDefinition"];
            /** @description Who manages it: `code`, `files:SET`, `systemd:SET`, `k8s:SET`, `bullmq:SET`, `crontab:NAME`, `cli`, `api`. */
            source: string;
            planSeq: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            effectiveAt: string;
            plannedRuns: number;
            nextRunAt: string | null;
            /** @description When it starts next, as far as is known; null: never. */
            nextStartAt: string | null;
            planError: string | null;
            /** @description Its schedule has no instant to come, and did not come to an end as it says itself. */
            neverFires: boolean;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            updatedAt: string;
            pauses: components["schemas"]["TaskPause"][];
            /** @description Who runs the line of a crontab that it is of, and from when on: before that cron. Of no line: none. */
            handovers: components["schemas"]["Handover"][];
            /** @description When it runs, in words. */
            meaning: string;
            state: components["schemas"]["TaskState"];
            lastRun: {
                id: string;
                state: components["schemas"]["RunState"];
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                scheduledFor: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                reason: string | null;
            } | null;
            /** @description Its latest runs, the latest first: as many as `recent` asks for. */
            recentRuns: {
                id: string;
                state: components["schemas"]["RunState"];
                durationMs: number | null;
            }[];
        };
        /** @description A `TaskDefinition` with its defaults. What it hides is `***`; `payload` is left out for whom has not the right `read-payload`. */
        StoredDefinition: {
            [key: string]: unknown;
        } & components["schemas"]["TaskDefinition"];
        TaskPause: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            fromAt: string;
            untilAt: string | null;
            note: string | null;
            createdBy: string;
            runId: string | null;
            failures: number | null;
        };
        Handover: {
            /** @enum {string} */
            to: "cron" | "fleet";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            at: string;
            /** @description False: its host has not answered. */
            isTaken: boolean;
            host: string;
        };
        /**
         * @description `finished`: a run of it has decided that it does not run again. `unplannable`: it cannot be planned. `never_fires`: its schedule has no instant to come, and did not come to an end as it says itself.
         * @enum {string}
         */
        TaskState: "active" | "paused" | "finished" | "unplannable" | "never_fires";
        TaskSaved: {
            id: string;
            /** @enum {string} */
            kind: "created" | "updated" | "unchanged" | "scheduled";
            /** @description Null: it is saved later. */
            version: number | null;
            effectiveAt: string | null;
            effect: components["schemas"]["TaskEffect"];
        };
        TaskDeleted: {
            /** @constant */
            deleted: true;
        };
        TaskDescription: {
            id: string;
            name: string;
            formerNames: string[];
            version: number;
            definition: components["schemas"]["StoredDefinition"];
            /** @description Who manages it: `code`, `files:SET`, `systemd:SET`, `k8s:SET`, `bullmq:SET`, `crontab:NAME`, `cli`, `api`. */
            source: string;
            planSeq: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            effectiveAt: string;
            plannedRuns: number;
            nextRunAt: string | null;
            /** @description When it starts next, as far as is known; null: never. */
            nextStartAt: string | null;
            planError: string | null;
            /** @description Its schedule has no instant to come, and did not come to an end as it says itself. */
            neverFires: boolean;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            updatedAt: string;
            pauses: components["schemas"]["TaskPause"][];
            /** @description Who runs the line of a crontab that it is of, and from when on: before that cron. Of no line: none. */
            handovers: components["schemas"]["Handover"][];
            /** @description When it runs, in words. */
            meaning: string;
            state: components["schemas"]["TaskState"];
            stateWords: string;
            /** @description A definition that counts from a later instant on. */
            change: {
                id: string;
                name: string;
                definition: unknown;
                source: string;
                createdBy: components["schemas"]["Principal"];
                note: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                effectiveAt: string;
                /** @description The version of the task that it was given for; 0: there was no task. A task that has another one by then stays as it is. Null: not kept. */
                basedOn: number | null;
                error: string | null;
            } | null;
            pool: {
                name: string;
                pause: {
                    /**
                     * Format: date-time
                     * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                     */
                    fromAt: string;
                    untilAt: string | null;
                    note: string | null;
                    by: string;
                } | null;
                expectedWorkers: number | null;
                workers: string[];
                priorities: boolean;
                rate: components["schemas"]["Rate"] | null;
                tasks: number;
                /** @description Runs that are due and have not begun. */
                waiting: number;
                running: number;
                /** @description When the run that has waited longest was due; null: none waits. */
                oldestDueAt: string | null;
                queues: {
                    need: string | null;
                    app: string | null;
                    workers: number;
                    tasks: number;
                    waiting: number;
                    running: number;
                }[];
                createdAt: string | null;
                updatedAt: string | null;
                /** @description Why its runs wait for a worker; null: a living one can take them. */
                waits: {
                    code: string;
                    reason: string;
                    advice: string;
                    pool: string;
                    need: string | null;
                    app: string | null;
                    /** @description Living workers of the pool, which lack what is needed. */
                    workers: string[];
                    drained: string[];
                    others: {
                        id: string;
                        pools: string[];
                    }[];
                    tasks: number;
                    examples: string[];
                } | null;
            };
            /** @description Those that it goes by, as they are in force. */
            calendars: {
                name: string;
                definition: components["schemas"]["CalendarDefinition"];
            }[];
            workers: {
                name: string;
                isAlive: boolean;
            }[] | null;
        };
        /** @description Parts that are replaced as a whole, or taken out, one after the other. What leads to a part is made where it is not there. */
        DefinitionEdits: ({
            /** @description The names that lead to a part: `["retry", "maxAttempts"]`. */
            set: string[];
            value: unknown;
        } | {
            /** @description The names that lead to a part: `["retry", "maxAttempts"]`. */
            unset: string[];
        })[];
        AlertsExplained: {
            task: string;
            version: number;
            rules: {
                kind: string;
                /** @enum {string} */
                level: "task" | "monitor" | "labels" | "pool" | "all";
                rules: unknown[];
                overruled: unknown[];
            }[];
            destinations: {
                rule: string;
                to: components["schemas"]["Destination"][];
            }[];
            silences: components["schemas"]["Silence"][];
        };
        TaskChain: {
            /** @description The task itself, and all that lead to it or follow it. */
            tasks: {
                id: string;
                name: string;
                /** @enum {string} */
                state: "active" | "paused" | "finished" | "unplannable" | "never_fires";
            }[];
            /** @description Runs of `to` follow those of `from`, by their ids. */
            links: {
                from: string;
                to: string;
                on: ("success" | "failure" | "always" | "onStart" | "onSuccess" | "onFailure" | "onFinish" | "onSkip" | "onMisfire" | "onLate")[];
            }[];
            /** @description Tasks that you may not see; those behind them are left out, too. */
            hidden: number;
            /** @description There are more than 200 before it or after it: only the nearest are here. */
            isCut: boolean;
        };
        TaskDiff: {
            from: number;
            to: number;
            parts: {
                part: string;
                from?: unknown;
                to?: unknown;
            }[];
        };
        TaskOutcomesPage: {
            items: components["schemas"]["TaskOutcomes"][];
        };
        TaskOutcomes: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            from: string;
            /**
             * Format: date-time
             * @description Where the next one begins.
             */
            to: string;
            succeeded: number;
            failed: number;
            skipped: number;
            missed: number;
            cancelled: number;
            p50Ms: number | null;
            p95Ms: number | null;
            p99Ms: number | null;
        };
        TaskPaused: {
            untilAt: string | null;
        };
        PendingChangeDropped: {
            dropped: boolean;
        };
        TaskRenamed: {
            version: number;
        };
        TaskResumed: {
            endedPauses: number;
        };
        TaskSkipped: {
            skipped: string[];
        };
        TaskStateDropped: {
            key: string;
        };
        TaskKeptStates: {
            items: components["schemas"]["TaskKeptState"][];
        };
        TaskKeptState: {
            key: string;
            value: unknown;
            version: number;
            shape: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            updatedAt: string;
            updatedBy: string;
        };
        TaskStateSet: {
            key: string;
        };
        TaskStatsSince: {
            name: string;
            count: number;
            succeeded: number;
            failed: number;
            /** @description Skipped, missed, superseded or cancelled. */
            notRun: number;
            open: number;
            p50Ms: number | null;
            p95Ms: number | null;
            lastError: {
                runId: string;
                state: components["schemas"]["RunState"];
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                at: string;
                reason: string | null;
                error: components["schemas"]["RunError"] | null;
            } | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            since: string;
        };
        Replayed: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            from: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            to: string;
            recorded: number;
            /** @description Of the expression; null: none was given. */
            timeZone: string | null;
            now: {
                due: number;
                started: number;
                skipped: number;
                late: number;
                longestWaitMs: number;
                lateP95Ms: number;
                replaced: number;
                atWorkMs: number;
                firstAt: string | null;
            };
            then: {
                due: number;
                started: number;
                skipped: number;
                late: number;
                longestWaitMs: number;
                lateP95Ms: number;
                replaced: number;
                atWorkMs: number;
                firstAt: string | null;
            };
        };
        TimeZones: {
            /** @description Of the data of the process that answers. */
            tzVersion: string;
            zones: {
                zone: string;
                /** @description By which its tasks are planned; null: it is not written down yet. */
                tzVersion: string | null;
                since: string | null;
                change: {
                    /**
                     * @description `made`: schedulers have gone over to newer data. `ahead`, `behind`: who answers has newer data than they, or older.
                     * @enum {string}
                     */
                    kind: "made" | "ahead" | "behind";
                    was: string;
                    is: string;
                    differences: {
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                         */
                        from: string;
                        to: string | null;
                        /** @description Seconds from UTC. */
                        was: number;
                        is: number;
                    }[];
                    tasks: {
                        name: string;
                        added: {
                            count: number;
                            first: string[];
                        };
                        removed: {
                            count: number;
                            first: string[];
                        };
                        moved: {
                            count: number;
                            first: {
                                /**
                                 * Format: date-time
                                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                                 */
                                from: string;
                                /**
                                 * Format: date-time
                                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                                 */
                                to: string;
                            }[];
                        };
                        kept: number;
                        /** @description There are more fires than were compared. */
                        truncated: boolean;
                        /**
                         * Format: date-time
                         * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                         */
                        comparedTo: string;
                    }[];
                } | null;
            }[];
        };
        Tokens: {
            items: {
                id: string;
                name: string;
                /** @enum {string} */
                role: "reporter" | "viewer" | "operator" | "editor" | "admin";
                rights: ("read-payload" | "shell" | "run-as" | "secrets" | "webhooks")[];
                scope: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                createdAt: string;
                createdBy: string;
                expiresAt: string | null;
                lastUsedAt: string | null;
                revokedAt: string | null;
            }[];
        };
        TokenMade: {
            id: string;
            token: string;
            expiresAt: string | null;
        };
        TokenRevoked: {
            id: string;
        };
        UserDeleted: {
            name: string;
        };
        UserDisabled: {
            name: string;
        };
        UserEnabled: {
            name: string;
        };
        UserGranted: {
            name: string;
        };
        PasswordChanged: {
            name: string;
        };
        Users: {
            items: {
                id: string;
                name: string;
                /** @enum {string} */
                role: "reporter" | "viewer" | "operator" | "editor" | "admin";
                rights: ("read-payload" | "shell" | "run-as" | "secrets" | "webhooks")[];
                scope: string | null;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                createdAt: string;
                createdBy: string;
                /**
                 * Format: date-time
                 * @description Since when it is their password; of a user of an OpenID provider, since when they are known.
                 */
                passwordAt: string;
                /** @description The OpenID provider that they sign in at; null: here. */
                issuer: string | null;
                /** @description Why they may not sign in, and have no rights; null: they may. */
                disabled: ("by-admin" | "no-group") | null;
            }[];
        };
        UserMade: {
            name: string;
        };
        WorkListDropped: {
            dropped: number;
            taken: number;
        };
        WorkItems: {
            items: {
                place: number;
                item: unknown;
                runId: string | null;
                takenAt: string | null;
            }[];
            /** @description For `after` of the next page; null: this is the last one. */
            next: string | null;
        };
        WorkItemsAdded: {
            added: number;
        };
        WorkLists: {
            items: {
                name: string;
                waiting: number;
                taken: number;
                added: number;
            }[];
        };
        Workers: {
            items: components["schemas"]["Worker"][];
        };
        Worker: {
            id: string;
            /** @description What it is called, also when it is started again. */
            name: string | null;
            host: string;
            pid: number;
            appVersion: string;
            pools: string[];
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
             */
            startedAt: string;
            activeRuns: number;
            /** @description It takes nothing new. */
            drain: {
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, as in 2026-03-29T01:00:00Z.
                 */
                askedAt: string;
                askedBy: string;
                note: string | null;
                isEmpty: boolean;
            } | null;
        };
        WorkerResumed: {
            resumed: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAlertRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alerting"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlerting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alerting"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveAlerting: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: {
                /** @description Replace this version only, else 412: `version` of the document in force, as `"3"`. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertingDocument"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertingSaved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description Also what was wrong in the last 90 days. */
                all?: "true" | "false";
                /** @description Only of the task of this name. */
                task?: string;
                /** @description Only those of such a condition. */
                kind?: "failed" | "quarantined" | "missed" | "suspicious" | "late" | "waiting" | "slow" | "silent" | "unknown" | "held" | "no-success" | "not-started-by" | "unplannable" | "monitor-missed" | "monitor-failed" | "monitor-slow" | "planner-silent" | "planner-lag" | "no-worker" | "workers-missing" | "worker-lost" | "overdue" | "redis-away" | "not-watched" | "api-away" | "drift" | "queue-blocked" | "clock-off" | "partition-missing" | "database-size" | "token-expires" | "ledger-gap";
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alerts"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertAcknowledged"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiServer"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    applyTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description All tasks of the set, as the documents of `escapement apply` have them. */
                    tasks: components["schemas"]["TaskDefinition"][];
                    /** @description What problems call each of the tasks: `shop.yaml:12`. Default: `tasks.0`. */
                    places?: string[];
                    /**
                     * @description Who says what the tasks are. Files say all of it. What another scheduler says nothing of stays as people have set it. The source of the tasks is `FORMAT:SET`.
                     * @default files
                     * @enum {string}
                     */
                    format?: "files" | "systemd" | "k8s" | "bullmq" | "anacron" | "run-parts";
                    /** @description Not of files: what each of the tasks has besides where it is new. */
                    atFirst?: {
                        [key: string]: unknown;
                    }[];
                    /** @description Names of tasks that are paused from the first moment on where they are new. */
                    paused?: string[];
                    /**
                     * @description The set of tasks that is defined completely. Its tasks have the source `FORMAT:SET`.
                     * @default default
                     */
                    set?: string;
                    /**
                     * @description Delete tasks of the set that are not among these.
                     * @default false
                     */
                    prune?: boolean;
                    /** @description With `prune`: so many may be deleted. Needed where more than half of the set goes. */
                    allowPrune?: number;
                    /**
                     * @description Take over tasks that belong to code, a crontab, the API or another set.
                     * @default false
                     */
                    adopt?: boolean;
                    /**
                     * @description Fires of so many days are compared.
                     * @default 7
                     */
                    days?: number;
                    /**
                     * @description Of the days in which fires move, where a schedule has none.
                     * @default UTC
                     */
                    timeZone?: string;
                    /** @description What is written, by the name of the task. `POST /v1/apply` takes it as `plan`. */
                    plan?: {
                        [key: string]: components["schemas"]["PlannedWrite"];
                    };
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewApply: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description All tasks of the set, as the documents of `escapement apply` have them. */
                    tasks: components["schemas"]["TaskDefinition"][];
                    /** @description What problems call each of the tasks: `shop.yaml:12`. Default: `tasks.0`. */
                    places?: string[];
                    /**
                     * @description Who says what the tasks are. Files say all of it. What another scheduler says nothing of stays as people have set it. The source of the tasks is `FORMAT:SET`.
                     * @default files
                     * @enum {string}
                     */
                    format?: "files" | "systemd" | "k8s" | "bullmq" | "anacron" | "run-parts";
                    /** @description Not of files: what each of the tasks has besides where it is new. */
                    atFirst?: {
                        [key: string]: unknown;
                    }[];
                    /** @description Names of tasks that are paused from the first moment on where they are new. */
                    paused?: string[];
                    /**
                     * @description The set of tasks that is defined completely. Its tasks have the source `FORMAT:SET`.
                     * @default default
                     */
                    set?: string;
                    /**
                     * @description Delete tasks of the set that are not among these.
                     * @default false
                     */
                    prune?: boolean;
                    /** @description With `prune`: so many may be deleted. Needed where more than half of the set goes. */
                    allowPrune?: number;
                    /**
                     * @description Take over tasks that belong to code, a crontab, the API or another set.
                     * @default false
                     */
                    adopt?: boolean;
                    /**
                     * @description Fires of so many days are compared.
                     * @default 7
                     */
                    days?: number;
                    /**
                     * @description Of the days in which fires move, where a schedule has none.
                     * @default UTC
                     */
                    timeZone?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyPlan"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only what was done to it: `task:NAME`, `run:ID`, `pool:NAME`. */
                subject?: string;
                /** @description Only what this one did, by name or id. */
                principal?: string;
                action?: string;
                /** @description Only what was done in this request: its `requestId`, or of a bulk action the id of `GET /v1/bulk`. */
                request?: string;
                /** @description Only what was refused, or only what was done. */
                refused?: "true" | "false";
                /** @description Also each task and run that a bulk action was done to. */
                parts?: "true" | "false";
                /** @description Then or later: ISO 8601, or a span such as 2h. */
                since?: string;
                until?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBackfills: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfills"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startBackfill: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name of a task. */
                    task: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                     */
                    fromAt: string;
                    /**
                     * Format: date-time
                     * @description Included; at most now. Default: now.
                     */
                    toAt?: string;
                    /**
                     * @description Which occurrences that ran already are run again.
                     * @default none
                     * @enum {string}
                     */
                    reprocess?: "none" | "failed" | "all";
                    /**
                     * @description Runs of it that are open at once.
                     * @default 1
                     */
                    concurrency?: number;
                    /**
                     * @description The newest occurrence first.
                     * @default false
                     */
                    reverse?: boolean;
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillStarted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeBackfill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a backfill, or its beginning. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillResumed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stopBackfill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a backfill, or its beginning. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillStopped"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewBackfill: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name of a task. */
                    task: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                     */
                    fromAt: string;
                    /**
                     * Format: date-time
                     * @description Included; at most now. Default: now.
                     */
                    toAt?: string;
                    /**
                     * @description Which occurrences that ran already are run again.
                     * @default none
                     * @enum {string}
                     */
                    reprocess?: "none" | "failed" | "all";
                    /**
                     * @description Runs of it that are open at once.
                     * @default 1
                     */
                    concurrency?: number;
                    /**
                     * @description The newest occurrence first.
                     * @default false
                     */
                    reverse?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillPreview"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBatches: {
        parameters: {
            query?: {
                /** @description Only those whose children are runs of this task. */
                task?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description Only those that this run has asked for. */
                run?: string;
                /** @description Only those in these states, with commas between: filling, running, stopping, cancelling, done, cancelled. */
                state?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchPage"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a batch. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDescription"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBatchChildren: {
        parameters: {
            query?: {
                /** @description Only those in these states, with commas between: planned, queued, waiting, running, retrying, held, unknown, succeeded, failed, timed_out, cancelled, quarantined, skipped, missed, superseded. */
                state?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of a batch. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchChildren"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBulkRequests: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRequests"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startBulkAction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    action: components["schemas"]["BulkAction"];
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkStarted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBulkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRequest"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelBulkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRequest"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseBulkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRequest"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBulkResults: {
        parameters: {
            query?: {
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkResultsPage"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeBulkRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRequest"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewBulkAction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkAction"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkPreview"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCalendarFile: {
        parameters: {
            query?: {
                /** @description From then on: ISO 8601, or a span from now such as 12h. */
                from?: string;
                /** @description Which tasks: `task:nightly-* label:team=shop pool:heavy key:eu`, where all that is given must be met, `*` stands for anything, and `task:one,other` for one of several. */
                filter?: string;
                token?: string;
                days?: number;
                /** @description Tasks that run more often are left out. */
                mostADay?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar; charset=utf-8": string;
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCalendars: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendars"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a calendar. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarInUse"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveCalendar: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: {
                /** @description Replace this version only, else 412: `version` of the calendar, as `"3"`; `"0"`: only where there is none. */
                "If-Match"?: string;
            };
            path: {
                /** @description The name of a calendar. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalendarDefinition"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarSaved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCalendar: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description The name of a calendar. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarDeleted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCalendarEffect: {
        parameters: {
            query?: {
                /** @description Default: the year that it is in UTC. */
                year?: number;
            };
            header?: never;
            path: {
                /** @description The name of a calendar. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarEffect"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of which it would be the definition; there need not be one yet. */
                    name: string;
                    definition: components["schemas"]["CalendarDefinition"];
                    /** @description Default: the year that it is in UTC. */
                    year?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarEffect"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                receiver?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    examineFleet: {
        parameters: {
            query?: {
                /** @description Also what matters where people rely on the fleet: backups, spare processes, limits, roles, tokens. */
                production?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Examination"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    examineQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueExamination"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listErrors: {
        parameters: {
            query?: {
                /** @description Runs scheduled then or later: ISO 8601, or a span such as 24h. */
                since?: string;
                task?: string;
                /** @description Only of tasks with these labels: `team=shop`. */
                label?: string;
                /** @description Only those in these states, with commas between: `open`, `resolved`, `muted`, `back`. */
                state?: string;
                /** @description Only those of which nothing failed before: what is new since a release. */
                newSince?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorGroups"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    muteError: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                     */
                    untilAt: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorChanged"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countRedriveOfError: {
        parameters: {
            query?: {
                /** @description Runs scheduled then or later: ISO 8601, or a span such as 24h. */
                since?: string;
                task?: string;
            };
            header?: never;
            path: {
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedriveCount"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redriveError: {
        parameters: {
            query?: {
                /** @description Runs scheduled then or later: ISO 8601, or a span such as 24h. */
                since?: string;
                task?: string;
            };
            header?: never;
            path: {
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRedriven"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reopenError: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorChanged"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveError: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorChanged"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchEvents: {
        parameters: {
            query?: {
                /** @description With commas between: runs, actions, alerts, fleet, crontabs. Default: all. */
                topics?: string;
                /** @description Only what is about the task of this name. */
                task?: string;
            };
            header?: {
                /** @description Go on behind the event of this id. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportCrontab: {
        parameters: {
            query?: {
                source?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description With a user column. */
                system?: "true" | "false";
                /** @description For the user column, where a task names none. Default: such tasks are left out. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrontabExport"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportK8s: {
        parameters: {
            query: {
                source?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description The image that the commands run in. */
                image: string;
                /** @description Of objects whose task has none in its name (`shop/report`). Default: they have none. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["K8sExport"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportSystemd: {
        parameters: {
            query?: {
                source?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description Who runs tasks that name no user. Default: they are left out, since a service would run as root. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemdExport"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetFigures"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getForecast: {
        parameters: {
            query?: {
                /** @description From then on: ISO 8601, or a span from now such as 12h. */
                from?: string;
                pool?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                days?: number;
                /** @description Length of a piece. Default: so that there are some thirty. */
                step?: "5m" | "15m" | "1h" | "6h" | "1d";
                /** @description Only of tasks whose runs have this key. */
                key?: string;
                /** @description Of the pieces. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forecast"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportCalendar: {
        parameters: {
            query?: {
                /** @description From then on: ISO 8601, or a span from now such as 12h. */
                from?: string;
                pool?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                days?: number;
                /** @description Tasks that run more often are left out. */
                mostADay?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportedCalendar"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getForecastRows: {
        parameters: {
            query?: {
                by?: "task" | "key";
                /** @description So many days back, and so many ahead. */
                days?: number;
                pool?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description Only of tasks whose runs have this key. */
                key?: string;
                /** @description Of the pieces. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForecastRows"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQuietSlots: {
        parameters: {
            query: {
                /** @description How long it would be at work. */
                minutes: number;
                /** @description It may start from then to then. The second time may be before the first: then midnight is in it. */
                window?: string;
                /** @description On which days: `day`, or as in a cron expression: `mon-fri`, `sat,sun`. */
                every?: string;
                /** @description What will be at work is looked at for so many days. */
                days?: number;
                /** @description How many times of day. */
                count?: number;
                /** @description Beside the tasks of one pool only. */
                pool?: string;
                /** @description Of the times. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuietSlots"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFreeze: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreezeNow"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    freezeFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                    /** @description When it ends by itself; null: it does not. */
                    untilAt?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Frozen"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unfreezeFleet: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unfrozen"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importCrontab: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The crontab. */
                    text: string;
                    /** @description Under which its lines are found again at the next import. Its tasks have the source `crontab:NAME`. */
                    name: string;
                    /**
                     * @description It has a user column, as `/etc/crontab` has.
                     * @default false
                     */
                    system?: boolean;
                    /** @description Whose crontab it is: its lines run as this user. Not with `system`. Default: the worker's. */
                    user?: string;
                    /**
                     * @description cron goes on running the lines: their tasks plan and do not run, in its shadow. A later import without it leaves them there.
                     * @default false
                     */
                    shadow?: boolean;
                    /** @description Of its tasks. Default: the one they have. */
                    pool?: string;
                    /** @description Of those of its tasks that are new, where `pool` is not given. Default: `default`. */
                    newPool?: string;
                    /** @description Of lines without `CRON_TZ` or `TZ` above them. */
                    timeZone: string;
                    /**
                     * @description `timeZone` is that of the machine that asks, and nobody has chosen it: a note says so.
                     * @default false
                     */
                    zoneOfMachine?: boolean;
                    /** @description Write these lines only, by their numbers. Default: all. */
                    lines?: number[];
                    /**
                     * @description Delete tasks of this source whose line is gone.
                     * @default false
                     */
                    prune?: boolean;
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrontabReport"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewCrontab: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The crontab. */
                    text: string;
                    /** @description Under which its lines are found again at the next import. Its tasks have the source `crontab:NAME`. */
                    name: string;
                    /**
                     * @description It has a user column, as `/etc/crontab` has.
                     * @default false
                     */
                    system?: boolean;
                    /** @description Whose crontab it is: its lines run as this user. Not with `system`. Default: the worker's. */
                    user?: string;
                    /**
                     * @description cron goes on running the lines: their tasks plan and do not run, in its shadow. A later import without it leaves them there.
                     * @default false
                     */
                    shadow?: boolean;
                    /** @description Of its tasks. Default: the one they have. */
                    pool?: string;
                    /** @description Of those of its tasks that are new, where `pool` is not given. Default: `default`. */
                    newPool?: string;
                    /** @description Of lines without `CRON_TZ` or `TZ` above them. */
                    timeZone: string;
                    /**
                     * @description `timeZone` is that of the machine that asks, and nobody has chosen it: a note says so.
                     * @default false
                     */
                    zoneOfMachine?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrontabReport"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getKey: {
        parameters: {
            query: {
                /** @description A key, as a list of keys shows it. */
                key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKeyHistory: {
        parameters: {
            query: {
                /** @description A key, as a list of keys shows it. */
                key: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyHistory"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    releaseKey: {
        parameters: {
            query: {
                /** @description A key, as a list of keys shows it. */
                key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Default: the only one that is held. */
                    slot?: number;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyReleased"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Only keys that are held, leased or waited for. */
                busy?: "true" | "false";
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLedgerVerifications: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerVerifications"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyLedger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description First occurrence: ISO 8601, or a span before now such as 24h.
                     * @default 24h
                     */
                    from?: string;
                    /**
                     * @description Last occurrence; at most ten seconds ago.
                     * @default now
                     */
                    to?: string;
                    /** @description Only this task. */
                    task?: string;
                    /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                    label?: string;
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerVerificationStarted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLedgerVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerVerification"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMonitors: {
        parameters: {
            query?: {
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitors"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @description The name of a monitor. */
                    name: string;
                    /** @description The job's own schedule: `cron`, `every`, `rrule`; `fixed-delay` counts from the last ping. */
                    schedule: {
                        /** @constant */
                        kind: "cron";
                        expression: string;
                        /** @enum {string} */
                        dialect?: "unix" | "vixie" | "quartz";
                        timeZone: string;
                        /** @enum {string} */
                        dayMatch?: "or" | "and";
                        dayOffset?: number;
                        workingDayOffset?: number;
                        dst?: {
                            /** @enum {string} */
                            gap?: "next-valid" | "shift" | "skip";
                            /** @enum {string} */
                            overlap?: "first" | "second" | "both";
                        };
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "every";
                        everyMs: number;
                        phaseMs?: number;
                        /** Format: date-time */
                        anchor?: string;
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "fixed-delay";
                        delayMs: number;
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "rrule";
                        rule: string;
                        dtStart: string;
                        timeZone: string;
                        exDates?: string[];
                        rDates?: string[];
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "once";
                        /** Format: date-time */
                        at: string;
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "manual";
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    };
                    /**
                     * @description A ping may come so much later than the job is due. Default: 1 h.
                     * @default 3600000
                     */
                    graceMs?: number;
                    /** @description A run may take so long from its `start`. Default: `graceMs`. */
                    maxRunMs?: number;
                    /**
                     * @description For rules, routes and silences of alerts.
                     * @default {}
                     */
                    labels?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingUrl"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMonitor: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitorDeleted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchMonitor: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    schedule?: {
                        /** @constant */
                        kind: "cron";
                        expression: string;
                        /** @enum {string} */
                        dialect?: "unix" | "vixie" | "quartz";
                        timeZone: string;
                        /** @enum {string} */
                        dayMatch?: "or" | "and";
                        dayOffset?: number;
                        workingDayOffset?: number;
                        dst?: {
                            /** @enum {string} */
                            gap?: "next-valid" | "shift" | "skip";
                            /** @enum {string} */
                            overlap?: "first" | "second" | "both";
                        };
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "every";
                        everyMs: number;
                        phaseMs?: number;
                        /** Format: date-time */
                        anchor?: string;
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "fixed-delay";
                        delayMs: number;
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "rrule";
                        rule: string;
                        dtStart: string;
                        timeZone: string;
                        exDates?: string[];
                        rDates?: string[];
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "once";
                        /** Format: date-time */
                        at: string;
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    } | {
                        /** @constant */
                        kind: "manual";
                        /** Format: date-time */
                        startAt?: string;
                        /** Format: date-time */
                        endAt?: string;
                        maxRuns?: number;
                        jitterMs?: number;
                    };
                    graceMs?: number;
                    maxRunMs?: number;
                    labels?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @description null: until resumed. */
                    untilAt?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPings: {
        parameters: {
            query?: {
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pings"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitorResumed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renewPingUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a monitor. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingUrl"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pools"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a pool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setPool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a pool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    expectedWorkers?: number | null;
                    /** @description Whether the priorities of tasks count. */
                    priorities?: boolean;
                    /** @description So many of its runs may start within so long; null: as many as there are. */
                    rate?: {
                        limit: number;
                        perMs: number;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPoolDemand: {
        parameters: {
            query?: {
                /** @description How long before it is due a run counts: as long as a worker takes to start. */
                leadMs?: number;
            };
            header?: never;
            path: {
                /** @description The name of a pool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolDemand"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pausePool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a pool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    untilAt?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolPaused"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumePool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a pool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolResumed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewNewTask: {
        parameters: {
            query?: {
                /** @description From when on it would count. Default: now. */
                effectiveAt?: string;
                /** @description Fires of so many days are compared. */
                days?: number;
                /** @description So many next fires are told. */
                count?: number;
                /** @description Of the days in which fires move, where the schedule has none. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskDefinition"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPreview"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testReceiver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiverTested"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHeldTasks: {
        parameters: {
            query?: {
                task?: string;
                label?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldTasks"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHeldRuns: {
        parameters: {
            query?: {
                task?: string;
                label?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldRuns"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLastRun: {
        parameters: {
            query?: {
                /** @description Its name. */
                task?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description As in `state:failed task:nightly-* key:eu since:-24h error:ETIMEDOUT`. Empty: all. */
                query?: string;
                /** @description Of instants in the query without an offset. */
                timeZone?: string;
                /** @description Also runs that are planned for later, where the query names neither states nor an end. */
                planned?: "true" | "false";
                /** @description Only these, in this order: ids in full, with commas between, at most 100. */
                ids?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    triggerRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description What is triggered with the same key within a day is triggered once. */
                "Idempotency-Key"?: string;
                /** @description The span that the runs continue (W3C Trace Context). */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @description For this run instead of the task's own; at most 64 KiB. */
                    payload?: unknown;
                    /** @description For this run instead of the task's own; may hold `{{payload.field}}`. A rerun keeps it. It takes the right `trigger` on the namespace. */
                    key?: string;
                    /**
                     * Format: date-time
                     * @description When it is due, at most 366 days ahead. Default: now.
                     */
                    at?: string;
                    /** @description Of a task that runs on every worker: only on this one. */
                    worker?: string;
                    /**
                     * @description Refuse a task of which there would be several runs, since it runs on every worker.
                     * @default false
                     */
                    single?: boolean;
                    /** @description The name of the task; a former one will do as well. */
                    task: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskTriggered"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDescription"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCancelled"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunLog: {
        parameters: {
            query?: {
                /** @description Only of this attempt. Default: of all. */
                attempt?: number;
                /** @description Only the last so many characters. Default: all. */
                tail?: number;
                /** @description Go on until the run has ended. */
                follow?: "true" | "false";
                /** @description A browser saves it as a file, and does not show it. */
                download?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLogChunks: {
        parameters: {
            query?: {
                /** @description Of the last piece that is known. */
                attempt?: number;
                /** @description Of the same piece: those behind it. */
                seq?: number;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogChunks"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchRunLog: {
        parameters: {
            query?: never;
            header?: {
                /** @description Go on behind the event of this id. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rerunRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /**
                     * @description With the definition that it had.
                     * @default false
                     */
                    sameVersion?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRerun"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    as: "succeeded" | "failed" | "rerun";
                    /** @description How one knows. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunResolved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunTree: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTree"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    waitForRun: {
        parameters: {
            query?: {
                /** @description How long to wait at most. 0: not at all. */
                timeoutMs?: number;
            };
            header?: never;
            path: {
                /** @description The id of a run, or the first of its digits. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunChanges: {
        parameters: {
            query?: {
                /** @description As in `state:failed task:nightly-* key:eu since:-24h error:ETIMEDOUT`. Empty: all. */
                query?: string;
                /** @description Of instants in the query without an offset. */
                timeZone?: string;
                /** @description Go on there: `next` of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunChanges"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countRuns: {
        parameters: {
            query?: {
                /** @description As in `state:failed task:nightly-* key:eu since:-24h error:ETIMEDOUT`. Empty: all. */
                query?: string;
                /** @description Of instants in the query without an offset. */
                timeZone?: string;
                /** @description Also runs that are planned for later, where the query names neither states nor an end. */
                planned?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCounts"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLongestRuns: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Only those that have run for more than twice as long as 99 of 100 runs of their task, where 20 or more are known; the one first that is furthest beyond what is usual. */
                stuck?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LongestRuns"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSchedulers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedulers"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSessionByCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginOidcSignIn: {
        parameters: {
            query?: {
                /** @description The path of this server to go to in the end. */
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endOidcSignIn: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                iss?: string;
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSignInWays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInWays"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getShadow: {
        parameters: {
            query?: {
                /** @description Of this crontab, or of the crontabs of this host (`NAME:PATH`), only. */
                source?: string;
                /** @description ISO 8601, or a span such as 24h. Reports are kept for 90 days. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shadow"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cutOverLines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    to: "cron" | "fleet";
                    /** @description These lines: all or none. Default: those whose differences are all explained, that have agreed three times, and that a living worker could run. */
                    lines?: string[];
                    /** @description Of this crontab, or of the crontabs of this host (`NAME:PATH`), only. */
                    source?: string;
                    /**
                     * Format: date-time
                     * @description In the gap of this instant. Default: after two more fires.
                     */
                    at?: string;
                    /**
                     * @description Only say what would be proposed.
                     * @default false
                     */
                    dryRun?: boolean;
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cutovers"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    settleCutover: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                line: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    answer: "taken" | "refused";
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cutover"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendCronReports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reports: {
                        /**
                         * Format: uuid
                         * @description Made by the host. Told again, it is one report.
                         */
                        id: string;
                        line: string;
                        host: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                         */
                        startedAt: string;
                        endedAt: string | null;
                        exitCode: number | null;
                        signal: string | null;
                        /** @description When the host came up. */
                        bootedAt: string | null;
                        /** @description The fleet has the line: the command did not run. Default: false. */
                        leftToFleet?: boolean;
                    }[];
                    /** @description Who tells. Default: it answers no cut-over, and is asked for none. */
                    host?: string;
                    /** @description Lines that the sender has started, and when last. */
                    lines?: {
                        line: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                         */
                        lastStartedAt: string;
                    }[];
                    /** @description To cut-overs that were proposed. */
                    answers?: {
                        /** Format: uuid */
                        id: string;
                        /** @enum {string} */
                        answer: "taken" | "refused";
                        /**
                         * Format: date-time
                         * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                         */
                        answeredAt: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CronReportsTaken"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSilences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silences"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    silenceAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As in `rule=failed,team=shop`. */
                    match: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 with an offset, as in 2026-03-29T01:00:00Z.
                     */
                    untilAt: string;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Silenced"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unsilenceAlerts: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unsilenced"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findTask: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFound"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskStats: {
        parameters: {
            query?: {
                /** @description Runs scheduled then or later: ISO 8601, or a span such as 24h. */
                since?: string;
                /** @description Only of the task of this name. */
                name?: string;
                /** @description Only of tasks with these labels: `team=shop,env=test|stage`. */
                label?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TasksStats"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVersionsByName: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersions"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description Only those of such a name; `*` stands for any characters, `?` for one. */
                name?: string;
                /** @description Only those with these labels: `team=shop,env=test|stage`. */
                label?: string;
                /** @description Only those in these states, with commas between: active, paused, finished, unplannable, never_fires. */
                state?: string;
                pool?: string;
                source?: string;
                /** @description `next`: the next due first. */
                sort?: "name" | "next" | "updated" | "pool" | "source" | "state";
                order?: "asc" | "desc";
                /** @description So many of the latest runs of each are told in `recentRuns`; `lastRun` is told in any case. */
                recent?: number;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTask: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
                /** @description From when on it counts. Default: now; nothing changes retroactively. Until then it waits, in place of one that waited before; if the task has changed meanwhile, it stays as it is, and `change` of the task says so. */
                effectiveAt?: string;
                /** @description `effect.next` of the preview, or `none`. A save that would have another first fire is refused (409 `preview_outdated`). */
                next?: "none" | string;
                /** @description `effect.basis` of the preview. A save of another schedule, or whose calendars are others by now, is refused (409 `preview_outdated`). */
                basis?: string;
                /** @description Fires of so many days are compared. */
                days?: number;
                /** @description Of the days in which fires move, where the schedule has none. */
                timeZone?: string;
                /** @description Who manages it. `cli`: people at the command line. */
                source?: "api" | "cli";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskDefinition"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSaved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDescription"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceTask: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
                /** @description From when on it counts. Default: now; nothing changes retroactively. Until then it waits, in place of one that waited before; if the task has changed meanwhile, it stays as it is, and `change` of the task says so. */
                effectiveAt?: string;
                /** @description `effect.next` of the preview, or `none`. A save that would have another first fire is refused (409 `preview_outdated`). */
                next?: "none" | string;
                /** @description `effect.basis` of the preview. A save of another schedule, or whose calendars are others by now, is refused (409 `preview_outdated`). */
                basis?: string;
                /** @description Fires of so many days are compared. */
                days?: number;
                /** @description Of the days in which fires move, where the schedule has none. */
                timeZone?: string;
            };
            header?: {
                /** @description The version that it replaces, as `ETag` of the task has it; `*`: any. Without it: 428. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskDefinition"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSaved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteTask: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDeleted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchTask: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
                /** @description From when on it counts. Default: now; nothing changes retroactively. Until then it waits, in place of one that waited before; if the task has changed meanwhile, it stays as it is, and `change` of the task says so. */
                effectiveAt?: string;
                /** @description `effect.next` of the preview, or `none`. A save that would have another first fire is refused (409 `preview_outdated`). */
                next?: "none" | string;
                /** @description `effect.basis` of the preview. A save of another schedule, or whose calendars are others by now, is refused (409 `preview_outdated`). */
                basis?: string;
                /** @description Fires of so many days are compared. */
                days?: number;
                /** @description Of the days in which fires move, where the schedule has none. */
                timeZone?: string;
            };
            header?: {
                /** @description Change this version only, else 412: `ETag` of the task has it. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | components["schemas"]["DefinitionEdits"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSaved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainTaskAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsExplained"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTaskChain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskChain"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diffTaskVersions: {
        parameters: {
            query: {
                from: number;
                to: number;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDiff"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskOutcomes: {
        parameters: {
            query?: {
                /** @description So many days back, and today. */
                days?: number;
                by?: "hour" | "day";
                /** @description Whose days they are. Hours are those of UTC, and each belongs to the day in which it begins. */
                timeZone?: string;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskOutcomesPage"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @description When it is resumed by itself; null: it is not. */
                    untilAt?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPaused"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dropPendingTaskChange: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingChangeDropped"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewTaskChange: {
        parameters: {
            query?: {
                /** @description From when on it would count. Default: now. */
                effectiveAt?: string;
                /** @description Fires of so many days are compared. */
                days?: number;
                /** @description So many next fires are told. */
                count?: number;
                /** @description Of the days in which fires move, where the schedule has none. */
                timeZone?: string;
                /** @description The change is one of this older version, as after a revert. Default: of what is in force. */
                version?: number;
                /** @description As if the task were given this name. What a rename would be refused for is refused. */
                name?: string;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | components["schemas"]["DefinitionEdits"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPreview"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renameTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskRenamed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResumed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revertTask: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
                /** @description From when on it counts. Default: now; nothing changes retroactively. Until then it waits, in place of one that waited before; if the task has changed meanwhile, it stays as it is, and `change` of the task says so. */
                effectiveAt?: string;
                /** @description `effect.next` of the preview, or `none`. A save that would have another first fire is refused (409 `preview_outdated`). */
                next?: "none" | string;
                /** @description `effect.basis` of the preview. A save of another schedule, or whose calendars are others by now, is refused (409 `preview_outdated`). */
                basis?: string;
                /** @description Fires of so many days are compared. */
                days?: number;
                /** @description Of the days in which fires move, where the schedule has none. */
                timeZone?: string;
            };
            header?: {
                /** @description Change this version only, else 412: `ETag` of the task has it. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    version: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSaved"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    skipTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @default 1 */
                    count?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSkipped"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskState: {
        parameters: {
            query?: {
                key?: string;
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskKeptStates"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setTaskState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Default: the key of its scheduled runs. */
                    key?: string;
                    /** @description Why; kept in the audit. */
                    reason: string;
                    value: unknown;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskStateSet"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dropTaskState: {
        parameters: {
            query: {
                /** @description Default: the key of its scheduled runs. */
                key?: string;
                /** @description Why; kept in the audit. */
                reason: string;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskStateDropped"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTaskStats: {
        parameters: {
            query?: {
                /** @description Runs scheduled then or later: ISO 8601, or a span such as 24h. */
                since?: string;
            };
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskStatsSince"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    triggerTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description What is triggered with the same key within a day is triggered once. */
                "Idempotency-Key"?: string;
                /** @description The span that the runs continue (W3C Trace Context). */
                traceparent?: string;
            };
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @description For this run instead of the task's own; at most 64 KiB. */
                    payload?: unknown;
                    /** @description For this run instead of the task's own; may hold `{{payload.field}}`. A rerun keeps it. It takes the right `trigger` on the namespace. */
                    key?: string;
                    /**
                     * Format: date-time
                     * @description When it is due, at most 366 days ahead. Default: now.
                     */
                    at?: string;
                    /** @description Of a task that runs on every worker: only on this one. */
                    worker?: string;
                    /**
                     * @description Refuse a task of which there would be several runs, since it runs on every worker.
                     * @default false
                     */
                    single?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskTriggered"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersions"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A cron expression, with the zone and the dialect of the task. */
                    expression?: string;
                    /**
                     * @description Of the expression, where the task has no zone of its own.
                     * @default UTC
                     */
                    timeZone?: string;
                    overlap?: {
                        /** @constant */
                        policy: "skip";
                        skipAfterMs?: number;
                    } | {
                        /** @constant */
                        policy: "wait-one";
                    } | {
                        /** @constant */
                        policy: "wait-all";
                        maxWaiting?: number;
                        maxWaitMs?: number;
                    } | {
                        /** @constant */
                        policy: "replace";
                    } | {
                        /** @constant */
                        policy: "allow";
                    };
                    limit?: number;
                    /**
                     * @description Replay so long a time until now.
                     * @default 2592000000
                     */
                    overMs?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replayed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTimeZones: {
        parameters: {
            query?: {
                /** @description Fires of the next so many days are compared. */
                days?: number;
                /** @description Changes of the last so many days are told. */
                sinceDays?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimeZones"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    name: string;
                    /** @enum {string} */
                    role: "reporter" | "viewer" | "operator" | "editor" | "admin";
                    /**
                     * @description Beside those of the role.
                     * @default []
                     */
                    rights?: ("read-payload" | "shell" | "run-as" | "secrets" | "webhooks")[];
                    /** @description Only on tasks with these labels: `team=shop`. Default: on everything. */
                    scope?: string;
                    /**
                     * @description How long it lives, at most ten years; null: for ever. Default: 90 days.
                     * @default 7776000000
                     */
                    lifeMs?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenMade"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: {
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRevoked"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query: {
                name: string;
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDeleted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disableUser: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDisabled"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enableUser: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserEnabled"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    grantUser: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    /** @enum {string} */
                    role: "reporter" | "viewer" | "operator" | "editor" | "admin";
                    /**
                     * @description Beside those of the role.
                     * @default []
                     */
                    rights?: ("read-payload" | "shell" | "run-as" | "secrets" | "webhooks")[];
                    /** @description Only on tasks with these labels: `team=shop`. Default: on everything. */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserGranted"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordChanged"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Users"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    name: string;
                    password: string;
                    /** @enum {string} */
                    role: "reporter" | "viewer" | "operator" | "editor" | "admin";
                    /**
                     * @description Beside those of the role.
                     * @default []
                     */
                    rights?: ("read-payload" | "shell" | "run-as" | "secrets" | "webhooks")[];
                    /** @description Only on tasks with these labels: `team=shop`. Default: on everything. */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserMade"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkItems: {
        parameters: {
            query: {
                /** @description The name of a list. */
                list: string;
                limit?: number;
                /** @description Go on there: `next` of the page before. */
                after?: string;
                /** @description Only items of whose JSON this is a part, in any case. A page looks through 10,000 items at most. */
                contains?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkItems"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addWorkItems: {
        parameters: {
            query: {
                /** @description The name of a list. */
                list: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                    items: unknown[];
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkItemsAdded"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dropWorkList: {
        parameters: {
            query: {
                /** @description The name of a list. */
                list: string;
                /** @description Why; kept in the audit. */
                reason?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkListDropped"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkLists: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkLists"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workers"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    drainWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a worker, its beginning, or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a worker, its beginning, or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why; kept in the audit. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerResumed"];
                };
            };
            /** @description Not done: why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
