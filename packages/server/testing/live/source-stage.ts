/** What a source of a venue needs, in virtual time: the simulated venue, a network to it, a tape and a clock. */

import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import type { Intake } from '../../src/tape/write/intake.ts';
import { START_MS } from './feed-run.ts';
import { MemoryIntake } from './memory-intake.ts';
import { SimNetwork } from './sim-network.ts';
import { SimVenue } from './sim-venue.ts';

const STEP_MS = 20;
const MS_NS = 1_000_000n;

export class SourceStage {
  readonly clock = new ManualClock(BigInt(START_MS) * MS_NS);
  readonly tape = new MemoryIntake();
  readonly venue: SimVenue;
  readonly network: SimNetwork;
  readonly intake: Omit<Intake, 'batch'>;
  offers = 0;

  /** `fail`: what the tape answers to the n-th offer instead of taking it. */
  constructor(symbols: readonly string[], fail: (offers: number) => Error | null = () => null) {
    this.venue = new SimVenue(seededRandom(3), symbols);
    this.network = new SimNetwork(this.venue, () => this.nowMs);
    const { tape } = this;
    this.intake = {
      lastId: (symbol) => tape.lastId(symbol),
      position: (key) => tape.position(key),
      get promise() {
        return tape.promise;
      },
      get gaps() {
        return tape.gaps;
      },
      offer: async (batches, promise, notes = []) => {
        this.offers += 1;
        const error = fail(this.offers);
        if (error !== null) throw error;
        return tape.take({ batches, promise, notes });
      },
    };
  }

  get nowMs(): number {
    return Number(this.clock.now() / MS_NS);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.clock.advance(STEP_MS);
      this.venue.trade(this.nowMs, STEP_MS, 0.5);
      this.network.deliver();
      await settle();
    }
  }
}

export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
