/**
 * One open chart at work: its content, the feed that fills it and the view that shows it. It outlives its place in the
 * page only as long as the chart is open. What changes often is told once per frame.
 */

import { ChartFeed } from '@tapeloom/charts/feed/chart-feed';
import type { HistoryBudget } from '@tapeloom/charts/feed/history-budget';
import type { PlanRoom } from '@tapeloom/charts/feed/plan-room';
import type { FeedSources } from '@tapeloom/charts/feed/sources';
import type { ChartBar } from '@tapeloom/charts/series/chart-bar';
import { ChartContent } from '@tapeloom/charts/series/chart-content';
import type { SessionSums } from '@tapeloom/charts/series/sums';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import { ChartView } from '@tapeloom/charts/view/chart-view';
import type { ChartViewOptions, ViewHover, ViewState } from '@tapeloom/charts/view/view-options';
import type { ClientClock } from '@tapeloom/client/stream';
import { Store } from './store.ts';
import { zoneTexts } from './zone-texts.ts';

export interface SeatOptions {
  readonly key: string;
  readonly spec: ChartSpec;
  readonly sources: FeedSources;
  readonly clock: ClientClock;
  readonly budget: HistoryBudget;
  readonly room: PlanRoom;
  /** Older bars have been loaded, which the month's usage shows. */
  readonly onLoaded: () => void;
}

/** What a replay shows instead of the present. */
export interface Played {
  readonly content: ChartContent;
  readonly sums: () => SessionSums | null;
}

type ViewPort = Omit<ChartViewOptions, 'content' | 'spec' | 'clock' | 'onHover' | 'onState'>;

export class Seat {
  readonly key: string;
  readonly feed: ChartFeed;
  /** Counts the frames in which something of the chart changed. */
  readonly frames = new Store(0);
  readonly hover = new Store<ViewHover | null>(null);
  /** When the column of a linked chart's crosshair begins. */
  readonly linkedNs = new Store<bigint | null>(null);
  readonly viewState = new Store<ViewState | null>(null);
  readonly #options: SeatOptions;
  readonly #live: ChartContent;
  #spec: ChartSpec;
  #view: ChartView | null = null;
  #played: Played | null = null;
  #isFrameDue = false;
  #wasLoading = false;
  #leave: () => void;

  constructor(options: SeatOptions) {
    this.key = options.key;
    this.#options = options;
    this.#spec = options.spec;
    this.#live = new ChartContent();
    const { key, spec, sources, clock, budget, room } = options;
    this.feed = new ChartFeed({
      ...{ key, spec, sources, clock, budget },
      content: this.#live,
      limits: room,
    });
    this.#leave = this.#live.onChange(() => this.#changed());
  }

  get view(): ChartView | null {
    return this.#view;
  }

  get spec(): ChartSpec {
    return this.#spec;
  }

  /** What is shown: the present, or a replay. */
  get content(): ChartContent {
    return this.#played?.content ?? this.#live;
  }

  get live(): ChartContent {
    return this.#live;
  }

  get isPlayed(): boolean {
    return this.#played !== null;
  }

  get sums(): SessionSums | null {
    return this.#played === null ? this.feed.sums : this.#played.sums();
  }

  /** The bar at the crosshair, its own or a linked one, else the newest; null without bars. */
  get bar(): ChartBar | null {
    const { bars } = this.content;
    const [own, linked] = [this.hover.value, this.linkedNs.value];
    const at = own !== null ? own.column : linked !== null ? bars.columnAt(linked) : -1;
    const column = bars.columns[at];
    return column?.kind === 'bar' ? column : bars.last;
  }

  /** The crosshair of a linked chart; null: it is gone. */
  link(hover: ViewHover | null): void {
    this.linkedNs.set(hover?.ns ?? null);
    this.#view?.setLinked(hover);
  }

  open(): void {
    this.feed.open();
  }

  /** Returns a function that takes the chart out of the page again. */
  mount(root: HTMLElement, port: ViewPort): () => void {
    const { clock } = this.#options;
    const view = new ChartView(root, {
      ...port,
      clock,
      content: this.content,
      spec: this.#spec,
      onHover: (hover) => this.hover.set(hover),
      onState: (state) => this.viewState.set(state),
    });
    this.#view = view;
    view.setSums(this.sums);
    view.setHem(this.#played === null ? this.feed.hem : null);
    return () => {
      this.#view = null;
      view.destroy();
    };
  }

  setSpec(spec: ChartSpec): void {
    this.feed.changeSpec(spec);
    this.#spec = spec;
    this.#view?.setSpec(spec);
    this.#changed();
  }

  /** Null: the present again. */
  play(played: Played | null): void {
    if (played === this.#played) return;
    this.#played = played;
    this.#leave();
    this.#leave = this.content.onChange(() => this.#changed());
    this.hover.set(null);
    this.#view?.setContent(this.content);
    this.#changed();
  }

  close(): void {
    this.#leave();
    this.feed.close();
  }

  /** A delayed stream names its live edge, so that nobody takes it for now. */
  #edgeText(): string | null {
    const { instrument, tapeNs } = this.content;
    const { delaySeconds } = this.#options.room.limits;
    if (delaySeconds === 0 || tapeNs === null || this.isPlayed) return null;
    const time = zoneTexts(this.#spec.zone, instrument?.timeZone ?? null);
    return `${time.clock(tapeNs)}, ${Math.round(delaySeconds / 60)} min ago`;
  }

  #changed(): void {
    if (this.#isFrameDue) return;
    this.#isFrameDue = true;
    // A hidden page has no frames; it catches up with the first one.
    requestAnimationFrame(() => {
      this.#isFrameDue = false;
      const { live, edge } = this.content;
      if (this.#wasLoading && edge.t !== 'loading') this.#options.onLoaded();
      this.#wasLoading = edge.t === 'loading';
      this.#view?.setSums(this.sums);
      this.#view?.setHem(this.#played === null ? this.feed.hem : null);
      this.#view?.setEdgeText(this.#edgeText());
      this.#view?.setStale(live !== 'live' && live !== 'delayed' && live !== 'replay');
      this.frames.change((count) => count + 1);
    });
  }
}
