/** A replay in the thread that writes its tape. Its directory is its own: no other market began it or fills it. */

import { NO_LIVE_DAYS, TapeReader } from '../../tape/read/tape-reader.ts';
import { ClockedSource } from '../clocked-source.ts';
import type { FillPlan, LiveMarket, SourceOptions, TradeSource } from '../market.ts';
import { ReplayDataset, type ReplayOptions } from './replay-dataset.ts';
import { ReplayTrades } from './replay-trades.ts';

export class ReplayLive extends ReplayDataset implements LiveMarket {
  readonly #options: ReplayOptions;

  constructor(options: ReplayOptions) {
    super(options);
    this.#options = options;
  }

  claim(): Promise<void> {
    return Promise.resolve();
  }

  /** Days before the first one were sealed before the start. */
  planFill(): Promise<FillPlan> {
    return Promise.resolve({ ready: [], rest: [] });
  }

  fill(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  source(options: SourceOptions): TradeSource {
    const { contract, script } = this.#options;
    const tape = new TapeReader(options.disk, script, contract.dataset, NO_LIVE_DAYS);
    return new ClockedSource(new ReplayTrades(tape, contract.symbol, options.intake), options);
  }
}
