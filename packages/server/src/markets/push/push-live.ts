/** A dataset of pushed trades in the thread that writes its tape. */

import type { Disk } from '../../platform/disk/disk.ts';
import { FilesMarket } from '../files/files-market.ts';
import type { ListedDataset } from '../instruments/instruments-file.ts';
import type { FillPlan, LiveMarket, SourceOptions, TradeSource } from '../market.ts';
import { claimTape } from '../source-claim.ts';

const ADVICE =
  'Give the dataset of instruments.yaml another name, or choose another data directory.';

export class PushLive extends FilesMarket implements LiveMarket {
  constructor(listed: ListedDataset) {
    super(listed, new Map(), new Map());
  }

  async claim(disk: Disk, tapeRoot: string): Promise<void> {
    await claimTape(disk, tapeRoot, this.dataset, { source: 'push' }, ADVICE);
  }

  async planFill(): Promise<FillPlan> {
    return { ready: [], rest: [] };
  }

  async fill(): Promise<readonly string[]> {
    return [];
  }

  source(_options: SourceOptions): TradeSource {
    throw new Error('not wired yet');
  }
}
