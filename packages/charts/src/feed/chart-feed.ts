/**
 * Fills the content of one chart: snapshot, live updates and history as one series without a seam. It subscribes what
 * the page cannot sum itself, loads older bars on request within the budget, and has words for every state.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { ChartRun } from './chart-run.ts';
import type { HistoryBudget } from './history-budget.ts';
import type { PlanRoom } from './plan-room.ts';
import type { FeedSources } from './sources.ts';
import { barsTopic } from './topics.ts';
import type { FeedNote, HemText } from './words.ts';

export interface ChartFeedOptions {
  /** Unique among the charts of the page. */
  readonly key: string;
  readonly sources: FeedSources;
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly clock: ClientClock;
  readonly budget: HistoryBudget;
  readonly limits: PlanRoom;
}

/** What history costs. */
export interface LoadCost {
  readonly units: number;
  readonly indicators: number;
  /** Of the month's budget, 0 to 1. */
  readonly share: number;
  /** Of what is left this month, 0 to 1; above 1: it does not fit. */
  readonly shareOfRest: number;
}

export class ChartFeed {
  readonly content: ChartContent;
  readonly #options: ChartFeedOptions;
  #spec: ChartSpec;
  #run: ChartRun | null = null;

  constructor(options: ChartFeedOptions) {
    this.#options = options;
    this.content = options.content;
    this.#spec = options.spec;
  }

  /** What the page sums from the bars. Another object after other bars or other layers. */
  get sums(): SessionSums | null {
    return this.#run?.sums ?? null;
  }

  get hem(): HemText | null {
    return this.#run?.hem ?? null;
  }

  get note(): FeedNote | null {
    return this.#run?.note ?? null;
  }

  /** When the alias will mean another contract; null: never, or not known. */
  get nextRollNs(): bigint | null {
    return this.#run?.nextRollNs ?? null;
  }

  open(): void {
    if (this.#run !== null) return;
    const { limits: room, ...others } = this.#options;
    this.#empty();
    this.#run = new ChartRun({ ...others, room, spec: this.#spec });
    this.#run.start();
  }

  /** Another instrument and other bars begin anew; of layers only what changed is asked for. */
  changeSpec(spec: ChartSpec): void {
    const isSame = runKey(spec) === runKey(this.#spec);
    this.#spec = spec;
    if (this.#run === null) return;
    if (isSame) {
      this.#run.change(spec);
      return;
    }
    this.close();
    this.open();
  }

  /** A gesture wants older bars. Calls while bars are loaded do nothing. */
  loadBack(): void {
    this.#run?.reach.back();
  }

  /** After the hem has said the cost. */
  loadAnyway(choice: 'all' | 'bars'): void {
    this.#run?.reach.permit(choice);
  }

  /**
   * A reader has added a layer, not only looked at it: it is loaded as far as the bars are, if that needs no asking.
   * Otherwise it comes with the next older bars.
   */
  loadLayers(): void {
    this.#run?.loadLayers();
  }

  /** After history could not be loaded. */
  loadAgain(): void {
    this.#run?.reach.again();
  }

  /** What a layer would cost for the bars that are loaded; null: not known. */
  async costOf(indicator: string, params: GivenParams): Promise<LoadCost | null> {
    const cost = await this.#run?.costOf(indicator, params);
    const { unitsPerMonth } = this.#options.budget;
    if (cost == null || unitsPerMonth === 0) return null;
    const { units, indicators, remaining } = cost;
    const shareOfRest = units === 0 ? 0 : units / Math.max(1, remaining ?? 0);
    return { units, indicators, share: units / unitsPerMonth, shareOfRest };
  }

  close(): void {
    this.#run?.close();
    this.#run = null;
  }

  #empty(): void {
    const { content } = this;
    content.bars.clear();
    content.layers.clear();
    content.instrument = null;
    content.sessions = [];
    content.rolls = [];
    content.edge = { t: 'more' };
    content.live = 'connecting';
    content.partialSince = null;
    content.tapeNs = null;
    content.changed();
  }
}

/** Charts with equal keys have the same bars. */
function runKey(spec: ChartSpec): string {
  return JSON.stringify([spec.instrument, spec.bar, barsTopic(spec)]);
}
