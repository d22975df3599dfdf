/** The market that a service of this configuration runs beside applied instruments. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { MarketBeside } from '@tapeloom/server/markets/instruments/applied-instruments';
import { simSetting } from '@tapeloom/server/markets/market-setting';
import { openMarket } from '@tapeloom/server/markets/open-market';
import type { CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';

/** Null where none does. */
export function marketBeside(io: CommandIo, now: EpochNs): MarketBeside | null {
  const config = configOf(io);
  if (config.sim !== 'on') return null;
  const market = openMarket(simSetting(config));
  return { dataset: market.dataset, book: market.listing(dayOf(now)).book };
}
