/** The market that a service with this configuration runs besides the applied instruments. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Config } from '../../config/config.ts';
import { simSetting } from '../market-setting.ts';
import { openMarket } from '../open-market.ts';
import type { MarketBeside } from './applied-instruments.ts';

/** The simulator if configured, otherwise a market that only keeps time. */
export function marketBeside(
  config: Pick<Config, 'sim' | 'simSeed' | 'simScale' | 'simDays'>,
  now: EpochNs,
): MarketBeside {
  const market = openMarket(config.sim === 'on' ? simSetting(config) : { kind: 'still' });
  return { dataset: market.dataset, book: market.listing(dayOf(now)).book };
}
