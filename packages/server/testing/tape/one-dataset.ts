/** The time of a live tape in memory that has one dataset. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { LiveTape, Watermarks } from '../../src/tape/tape.ts';

export const TEST_DATASET = 'TEST';

export class OneDataset implements Pick<LiveTape, 'promiseOf' | 'timeOf' | 'watermarks'> {
  promise: EpochNs | null = null;
  readonly dataset: string;

  constructor(dataset: string = TEST_DATASET) {
    this.dataset = dataset;
  }

  promiseOf(): EpochNs | null {
    return this.promise;
  }

  timeOf(): string {
    return this.dataset;
  }

  get watermarks(): Watermarks {
    return new Map(this.promise === null ? [] : [[this.dataset, this.promise]]);
  }
}
