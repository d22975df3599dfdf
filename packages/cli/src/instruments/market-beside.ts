/** The market that a service with this configuration runs besides the applied instruments. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { MarketBeside } from '@tapeloom/server/markets/instruments/applied-instruments';
import { simSetting } from '@tapeloom/server/markets/market-setting';
import { openMarket } from '@tapeloom/server/markets/open-market';
import type { CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';

/** The simulator if configured, otherwise a market that only keeps time. */
export function marketBeside(io: CommandIo, now: EpochNs): MarketBeside {
  const config = configOf(io);
  const market = openMarket(config.sim === 'on' ? simSetting(config) : { kind: 'still' });
  return { dataset: market.dataset, book: market.listing(dayOf(now)).book };
}
