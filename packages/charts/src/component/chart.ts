/**
 * A chart on a customer's page: a feed that fills it, a view that shows it, and a row of numbers above. It owns its
 * element until `destroy`, and its connection unless a client was given.
 */

import { ChartFeed } from '../feed/chart-feed.ts';
import type { FeedActionId } from '../feed/words.ts';
import type { ChartBar } from '../series/chart-bar.ts';
import { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { ChartView } from '../view/chart-view.ts';
import { element } from '../view/dom.ts';
import type { Tool, ViewCommand, ViewHover } from '../view/view-options.ts';
import type { ChartEvents, ChartPoint } from './chart-events.ts';
import {
  type ChartLayout,
  type ChartLook,
  type ChartOptions,
  lookOf,
  specOf,
} from './chart-options.ts';
import { type ChartSources, chartSources } from './chart-sources.ts';
import { LegendRow } from './legend-row.ts';
import { PAGE_CLOCK, PAGE_STORE, pageWallMs } from './page-ports.ts';
import { visitorHem, visitorNote } from './visitor-words.ts';

type Hears = { [K in keyof ChartEvents]: Set<(event: ChartEvents[K]) => void> };

export class Chart {
  /** Resolves when the first bars are there; rejects if the chart is destroyed before. */
  readonly ready: Promise<void>;
  readonly #root: HTMLElement;
  readonly #place: HTMLElement;
  readonly #data: ChartSources;
  readonly #content = new ChartContent();
  readonly #view: ChartView;
  readonly #legend: LegendRow | null;
  readonly #hears: Hears = {
    crosshair: new Set(),
    range: new Set(),
    layout: new Set(),
    tool: new Set(),
    status: new Set(),
  };
  readonly #firstBars = Promise.withResolvers<void>();
  #feed: ChartFeed | null = null;
  #spec: ChartSpec;
  #hover: ViewHover | null = null;
  #frame = 0;
  #status = '';
  #isDestroyed = false;

  constructor(root: HTMLElement, options: ChartOptions) {
    this.#root = root;
    this.#spec = specOf(options);
    this.#data = chartSources(options, {
      clock: PAGE_CLOCK,
      store: PAGE_STORE,
      wallMs: pageWallMs,
    });
    root.classList.add('tapeloom-chart');
    if (options.theme !== undefined) this.#setTheme(options.theme);
    this.#legend =
      options.legend === false ? null : new LegendRow(root, (action) => this.#act(action));
    this.#place = element('div', 'tlc-place');
    root.append(this.#place);
    this.#view = this.#makeView();
    this.ready = this.#firstBars.promise;
    // Whoever does not wait for it has no fault to handle.
    this.ready.catch(() => {});
    this.#content.onChange(() => this.#changed());
    void this.#open();
  }

  /** What the chart shows now, as options of another chart. It can be kept as JSON. */
  layout(): ChartLayout {
    return lookOf(this.#spec);
  }

  /** Changes what is given; the rest stays. */
  update(look: ChartLook): void {
    if (look.theme !== undefined) this.#setTheme(look.theme);
    this.#take(specOf(look, this.#spec));
    this.#view.setSpec(this.#spec);
  }

  /** What is on screen as SVG, with instrument and time in a foot. */
  svg(theme?: 'light' | 'dark'): Promise<string> {
    return this.#view.svg(theme === undefined ? {} : { theme });
  }

  png(theme?: 'light' | 'dark'): Promise<Blob> {
    return this.#view.png(theme === undefined ? {} : { theme });
  }

  /** Calls `hear` at each event. Call the returned function to remove it. */
  on<K extends keyof ChartEvents>(kind: K, hear: (event: ChartEvents[K]) => void): () => void {
    this.#hears[kind].add(hear);
    return () => this.#hears[kind].delete(hear);
  }

  /** Draws, measures or selects a range; `crosshair` ends it. */
  setTool(tool: Tool): void {
    this.#view.setTool(tool);
  }

  /** Shows the instant in the middle; null: the newest bar. */
  goTo(ns: bigint | null): void {
    if (ns === null) this.#view.goToEnd();
    else this.#view.goTo(ns);
  }

  focus(): void {
    this.#view.focus();
  }

  /** Ends the chart, empties its element, and closes its connection unless it is your client's. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    cancelAnimationFrame(this.#frame);
    this.#feed?.close();
    this.#view.destroy();
    this.#data.close();
    this.#root.replaceChildren();
    this.#root.classList.remove('tapeloom-chart');
    this.#firstBars.reject(new Error('The chart was destroyed before its first bars.'));
  }

  #makeView(): ChartView {
    return new ChartView(this.#place, {
      content: this.#content,
      spec: this.#spec,
      clock: PAGE_CLOCK,
      onSpec: (spec) => this.#take(spec),
      onNeedBack: () => this.#feed?.loadBack(),
      onHover: (hover) => {
        this.#hover = hover;
        this.#changed();
        this.#tell('crosshair', this.#pointOf(hover));
      },
      onRange: (range) => this.#tell('range', range === null ? null : this.#spanOf(range)),
      onTool: (tool) => this.#tell('tool', tool),
      onAction: (action) => this.#act(action),
      onCommand: (command) => {
        this.#command(command).catch(() => this.#view.showFault());
      },
    });
  }

  async #open(): Promise<void> {
    const { room, budget } = await this.#data.plan;
    if (this.#isDestroyed) return;
    this.#feed = new ChartFeed({
      ...{ key: 'chart', sources: this.#data.sources, content: this.#content, spec: this.#spec },
      ...{ clock: PAGE_CLOCK, budget, limits: room },
    });
    this.#feed.open();
    this.#changed();
  }

  /** From the page or from a hand: the feed follows, and the page may keep it. */
  #take(spec: ChartSpec): void {
    if (spec === this.#spec) return;
    this.#spec = spec;
    this.#feed?.changeSpec(spec);
    this.#feed?.loadLayers();
    this.#changed();
    this.#tell('layout', this.layout());
  }

  #setTheme(theme: ChartLook['theme']): void {
    if (theme === 'light' || theme === 'dark') this.#root.dataset.theme = theme;
    else delete this.#root.dataset.theme;
  }

  /** What changed is shown once a frame. */
  #changed(): void {
    if (this.#frame !== 0 || this.#isDestroyed) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#show();
    });
  }

  #show(): void {
    const content = this.#content;
    const feed = this.#feed;
    const note = visitorNote(feed?.note ?? null);
    this.#view.setSums(feed?.sums ?? null);
    this.#view.setHem(visitorHem(feed?.hem ?? null, this.#data.mode));
    const { live } = content;
    this.#view.setStale(live !== 'live' && live !== 'delayed');
    const { timeText } = this.#view;
    this.#legend?.update({ content, spec: this.#spec, bar: this.#bar, note, timeText });
    if (content.bars.columns.length > 0) this.#firstBars.resolve();
    const status = JSON.stringify([live, note?.text]);
    if (status === this.#status) return;
    this.#status = status;
    this.#tell('status', { live, text: note?.text ?? null });
  }

  get #bar(): ChartBar | null {
    const { bars } = this.#content;
    const column = this.#hover === null ? undefined : bars.columns[this.#hover.column];
    return column?.kind === 'bar' ? column : bars.last;
  }

  #pointOf(hover: ViewHover | null): ChartPoint | null {
    if (hover === null) return null;
    const { ns, ticks } = hover;
    return { ns, ticks, bar: this.#bar };
  }

  #spanOf({ from, to }: { readonly from: number; readonly to: number }): ChartEvents['range'] {
    const { columns } = this.#content.bars;
    return { fromNs: columns[from]!.fromNs, toNs: columns[to - 1]!.endNs, bars: to - from };
  }

  #tell<K extends keyof ChartEvents>(kind: K, event: ChartEvents[K]): void {
    for (const hear of this.#hears[kind]) hear(event);
  }

  #act(action: FeedActionId): void {
    if (action === 'load-all') this.#feed?.loadAnyway('all');
    else if (action === 'load-bars') this.#feed?.loadAnyway('bars');
    else if (action === 'load-again') this.#feed?.loadAgain();
  }

  async #command(command: ViewCommand): Promise<void> {
    if (command === 'full-screen') {
      await (document.fullscreenElement === null
        ? this.#root.requestFullscreen()
        : document.exitFullscreen());
      return;
    }
    if (command !== 'table' && command !== 'keys') return;
    const dialogs = await import('./chart-dialogs.ts');
    if (this.#isDestroyed) return;
    if (command === 'keys') dialogs.openKeys(this.#root);
    else dialogs.openTable(this.#root, this.#view.tableOptions);
  }
}
