/** `GET /v1/status/history`: the state of each of the last ninety days, and their incidents. Needs no key. */

import {
  type StatusHistory as History,
  INCIDENT_CAUSES,
  INCIDENTS_MAX,
  isPartial,
  PAST_DAY_STATES,
  STATUS_DAYS,
} from '@tapeloom/core/status/status-history';
import { dayText } from '../../platform/refusal-answer.ts';
import { Instant } from '../contract/instant-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, type Route } from '../server/route.ts';

const Seconds = (description: string) => Type.Integer({ minimum: 0, maximum: 86_400, description });

const StatusHistory = namedObject('StatusHistory', {
  recordedSince: Type.Union([Instant('Start of the record'), Type.Null()], {
    description:
      'Start of the record, in nanoseconds since 1970-01-01 UTC; null: there is no record yet.',
  }),
  days: Type.Array(
    namedObject('StatusDay', {
      day: Type.String({ format: 'date', description: 'The UTC day.' }),
      state: Type.Enum(PAST_DAY_STATES, {
        title: 'PastDayState',
        description:
          'The worst state of the day. `partial`: some instruments had no data. `none`: no state was recorded.',
      }),
      recordedSeconds: Seconds('The seconds of the day that were recorded.'),
      partialSeconds: Seconds('The seconds in which some instruments had no data.'),
      downSeconds: Seconds('The seconds in which the service was down.'),
    }),
    { description: `${STATUS_DAYS} days, the oldest first; the last one is today.` },
  ),
  incidents: Type.Array(
    namedObject('StatusIncident', {
      from: Instant('Start'),
      until: Type.Union([Instant('End'), Type.Null()], {
        description: 'Null: the incident continues.',
      }),
      state: Type.Enum(['partial', 'down'], { title: 'IncidentState' }),
      cause: Type.Enum(INCIDENT_CAUSES, {
        title: 'IncidentCause',
        description:
          '`feed`: some instruments had no data. `engine`: no results were computed. `accounts`: keys could not be ' +
          'checked. `stopped`: the service did not run.',
      }),
    }),
    { description: `The newest first, ${INCIDENTS_MAX} at most.` },
  ),
});

export function statusHistoryRoute(history: () => Promise<History>): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/status/history',
    operationId: 'getStatusHistory',
    summary: 'State of the last 90 days.',
    description:
      'The service records its own state every 30 seconds. In a cluster, the best state of any node ' +
      'counts. Interruptions of up to 90 seconds are not shown. Needs no key.',
    access: 'public',
    cacheControl: 'no-cache',
    answer: StatusHistory,
    handle: async () => {
      const { recordedSince, days, incidents } = await history();
      return {
        recordedSince: recordedSince === null ? null : recordedSince.toString(),
        days: days.map(({ day, ...rest }) => ({ day: dayText(day), ...rest })),
        incidents: incidents.map(({ from, until, cause }) => ({
          from: from.toString(),
          until: until === null ? null : until.toString(),
          state: isPartial(cause) ? ('partial' as const) : ('down' as const),
          cause,
        })),
      };
    },
  });
}
