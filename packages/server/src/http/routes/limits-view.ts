/** The public view of a plan's limits. */

import { namedObject, Type } from '../contract/schema.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const LIMITS_FIELDS = {
  computeBudget: Count('Compute units a month.'),
  exportBytes: Count('Bytes of exports a month.'),
  restPerMinute: Count('REST requests a minute.'),
  historyDays: Count('Days of history; 36500 stands for all available days.'),
  delaySeconds: Count('How far results are behind the market.'),
  maxConnections: Count('Connections at a time.'),
  maxSubscriptions: Count('Subscriptions at a time.'),
  maxCustomConfigs: Count('Custom configurations at a time.'),
  realtime: Type.Boolean(),
} as const;

export const LimitsView = namedObject('PlanLimits', LIMITS_FIELDS);
