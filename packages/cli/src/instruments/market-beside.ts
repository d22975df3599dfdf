/** The market that a service of this configuration runs beside applied instruments. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { MarketBeside } from '@tapeloom/server/markets/instruments/applied-instruments';
import type { CommandIo } from '../command.ts';
import { marketOf } from '../command-config.ts';

/** Null where none does. */
export function marketBeside(io: CommandIo, now: EpochNs): MarketBeside | null {
  if (io.env.TAPELOOM_SIM !== 'on') return null;
  const market = marketOf(io);
  return { dataset: market.dataset, book: market.listing(dayOf(now)).book };
}
