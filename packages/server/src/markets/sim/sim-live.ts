/** The simulator in the thread that writes its tape. */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import type { FillPlan, FillRequest, LiveMarket, SourceOptions, TradeSource } from '../market.ts';
import { readFillState, runFill } from './fill.ts';
import { planFill } from './fill-plan.ts';
import { SimDataset } from './sim-dataset.ts';
import { SimSource } from './sim-source.ts';
import { createSimUniverse } from './sim-universe.ts';
import { claimSimTape } from './tape-claim.ts';
import type { SimOptions } from './trades/sim-market.ts';

export interface SimLiveOptions extends SimOptions {
  /** How many past days are made while the service runs. */
  readonly recentDays: number;
}

export class SimLive extends SimDataset implements LiveMarket {
  readonly #sim: SimOptions;
  readonly #recentDays: number;

  constructor({ seed, printsScale, recentDays }: SimLiveOptions) {
    const sim = { seed, printsScale };
    super(sim);
    this.#sim = sim;
    this.#recentDays = recentDays;
  }

  async claim(disk: Disk, tapeRoot: string): Promise<void> {
    await claimSimTape(disk, tapeRoot, this.#sim);
  }

  async planFill(disk: Disk, tapeRoot: string, now: EpochNs): Promise<FillPlan> {
    const universe = createSimUniverse(this.#sim, dayOf(now));
    return planFill(universe, now, await readFillState(disk, tapeRoot), this.#recentDays);
  }

  async fill(request: FillRequest): Promise<readonly string[]> {
    const { tapeRoot, today, items, manifest, signal, onSealed } = request;
    const setting = { tapeRoot, sim: this.#sim, today };
    const note = ({ item }: { readonly item: FillRequest['items'][number] }) => onSealed(item);
    return (await runFill(setting, items, note, signal, manifest)).conflicts;
  }

  source(options: SourceOptions): TradeSource {
    const sim = this.#sim;
    // A contract trades the same in every universe, so the universe can be replaced by a newer one at any time.
    const today = () => createSimUniverse(sim, dayOf(options.clock.now()));
    return new SimSource({
      ...options,
      universe: {
        get market() {
          return today().market;
        },
        streamedOn: (day: UtcDay) => today().streamedOn(day),
      },
    });
  }
}
