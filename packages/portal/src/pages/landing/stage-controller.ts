/**
 * Runs the replay in the page. Nothing is fetched before the first paint, and a hidden or invisible replay stands
 * still. It draws twelve times a second at most. With reduced motion, it waits for Play.
 */

import { PlayClock } from '@tapeloom/charts/feed/play-clock';
import { fetchRecording } from '@tapeloom/charts/feed/recording';
import { FootprintCanvas, figuresLoaded } from '../../components/footprint-canvas.ts';
import { onColoursChange } from '../../shell/theme.ts';
import { Replay, type ReplayView } from './replay.ts';
import { stageForm } from './stage-chart.ts';
import { type BarRow, barRows } from './stage-table.ts';

const DRAW_MS = 1_000 / 12;
const TABLE_BARS = 8;

export interface StageView {
  readonly isPlaying: boolean;
  /** Null until the recording runs. */
  readonly replay: ReplayView | null;
  readonly rows: readonly BarRow[];
  readonly hasFailed: boolean;
}

export interface StageControllerOptions {
  readonly canvas: HTMLCanvasElement;
  readonly recordingUrl: string;
  readonly onView: (view: StageView) => void;
}

export class StageController {
  readonly #options: StageControllerOptions;
  readonly #clock = new PlayClock();
  readonly #chart: FootprintCanvas;
  readonly #stops: (() => void)[] = [];
  readonly #abort = new AbortController();
  #replay: Replay | null = null;
  #isLoading = false;
  #hasFailed = false;
  #isWanted: boolean;
  #isSeen = false;
  #frame = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawnVersion = -1;

  constructor(options: StageControllerOptions) {
    this.#options = options;
    const { canvas } = options;
    this.#chart = new FootprintCanvas(canvas, stageForm);
    this.#isWanted = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#stops.push(
      onColoursChange(() => {
        this.#chart.recolour();
        this.#draw();
      }),
      this.#sizes(canvas),
      this.#sights(canvas),
    );
    const look = () => this.#update();
    document.addEventListener('visibilitychange', look);
    this.#stops.push(() => document.removeEventListener('visibilitychange', look));
    if (!this.#isWanted) this.#tell();
  }

  get #isRunning(): boolean {
    return this.#isWanted && this.#isSeen && !document.hidden;
  }

  toggle(): void {
    this.#isWanted = !this.#isWanted;
    this.#update();
    this.#tell();
  }

  cut(): void {
    this.#replay?.cut();
    this.#tell();
  }

  stop(): void {
    this.#abort.abort();
    this.#clock.pause();
    cancelAnimationFrame(this.#frame);
    for (const stop of this.#stops) stop();
    void this.#replay?.close();
  }

  #sizes(canvas: HTMLCanvasElement): () => void {
    const observer = new ResizeObserver((entries) => {
      for (const entry of entries) this.#chart.resize(entry);
      this.#draw();
    });
    try {
      observer.observe(canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(canvas);
    }
    return () => observer.disconnect();
  }

  #sights(canvas: HTMLCanvasElement): () => void {
    const observer = new IntersectionObserver((entries) => {
      this.#isSeen = entries.at(-1)?.isIntersecting ?? false;
      this.#update();
    });
    observer.observe(canvas);
    return () => observer.disconnect();
  }

  #update(): void {
    cancelAnimationFrame(this.#frame);
    if (!this.#isRunning) {
      this.#clock.pause();
      return;
    }
    if (this.#replay === null) {
      void this.#load();
      return;
    }
    this.#clock.play();
    this.#frame = requestAnimationFrame(() => this.#tick());
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#hasFailed = false;
    try {
      const recording = await fetchRecording(this.#options.recordingUrl, this.#abort.signal);
      await figuresLoaded();
      if (this.#abort.signal.aborted) return;
      this.#replay = new Replay(recording, this.#clock);
    } catch {
      if (this.#abort.signal.aborted) return;
      // The first frame stays; Play tries again.
      this.#hasFailed = true;
      this.#isWanted = false;
    } finally {
      this.#isLoading = false;
    }
    this.#update();
    this.#tell();
  }

  #tick(): void {
    const now = performance.now();
    const isDue = now - this.#drawnAt >= DRAW_MS - 1;
    if (isDue) {
      this.#drawnAt = now;
      const version = this.#replay?.version ?? 0;
      if (version !== this.#drawnVersion || this.#chart.isGlowing) this.#draw();
      this.#drawnVersion = version;
      this.#tell();
    }
    this.#frame = requestAnimationFrame(() => this.#tick());
  }

  #draw(): void {
    const chart = this.#replay?.chart ?? null;
    if (chart !== null) this.#chart.draw(chart, this.#clock.now());
  }

  #tell(): void {
    const replay = this.#replay;
    const chart = replay?.chart ?? null;
    this.#options.onView({
      isPlaying: this.#isWanted,
      replay: replay === null || chart === null ? null : replay.view,
      rows: chart === null ? [] : barRows(chart, TABLE_BARS),
      hasFailed: this.#hasFailed,
    });
  }
}
