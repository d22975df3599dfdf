/** The market that a service of this configuration runs beside applied instruments. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { MarketBeside } from '@tapeloom/server/markets/instruments/applied-instruments';
import { simSetting } from '@tapeloom/server/markets/market-setting';
import { openMarket } from '@tapeloom/server/markets/open-market';
import type { CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';

/** The simulator where that is asked for, else what only keeps the time. */
export function marketBeside(io: CommandIo, now: EpochNs): MarketBeside {
  const config = configOf(io);
  const market = openMarket(config.sim === 'on' ? simSetting(config) : { kind: 'still' });
  return { dataset: market.dataset, book: market.listing(dayOf(now)).book };
}
