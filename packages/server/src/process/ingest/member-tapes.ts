/** The tapes of the datasets that a composite is made of, in the thread that writes the composite's. */

import type { MessagePort } from 'node:worker_threads';
import type { LiveMarket } from '../../markets/market.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { TapeFollower } from '../../tape/read/tape-follower.ts';
import type { FromIngest } from './ingest-wire.ts';

export interface MemberTapesOptions {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly market: LiveMarket;
  readonly send: (news: FromIngest) => void;
}

export class MemberTapes {
  readonly #options: MemberTapesOptions;
  readonly #tapes = new Map<string, TapeFollower>();

  constructor(options: MemberTapesOptions) {
    this.#options = options;
  }

  get all(): ReadonlyMap<string, TapeFollower> {
    return this.#tapes;
  }

  /** The state of a tape comes once its own first days are there. */
  async join(dataset: string, port: MessagePort): Promise<void> {
    const { disk, tapeRoot, market, send } = this.#options;
    try {
      const tape = await TapeFollower.connect(disk, tapeRoot, dataset, port);
      this.#tapes.set(dataset, tape);
      market.join?.(dataset, tape);
    } catch (error) {
      send({ t: 'fault', what: `the tape of ${dataset} cannot be followed`, error });
    }
  }
}
