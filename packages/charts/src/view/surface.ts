/**
 * The two canvases of a chart in its tab stop: sharp at every pixel ratio, sized with their element, in the colours of
 * the page. It says when one of these has changed.
 */

import { paintCanvas } from '../paint/canvas-painter.ts';
import { type Colours, readColours } from '../paint/colours.ts';
import type { Batch } from '../scene/batch.ts';
import type { ChartSize } from '../scene/chart-layout.ts';
import { element } from './dom.ts';

/** More pixels than this cost time and show nothing. */
const PIXEL_RATIO_MAX = 3;
const ROOT_FONT_PX = 16;
/** Attributes by which pages choose a theme. */
const THEME_ATTRIBUTES = ['class', 'data-theme', 'data-dyes', 'style'];

export class Surface {
  /** Takes the focus, keys and pointers. */
  readonly stage: HTMLElement;
  readonly #root: HTMLElement;
  readonly #base: HTMLCanvasElement;
  readonly #over: HTMLCanvasElement;
  /** Size, pixel ratio, colours or fonts changed. */
  onChange: () => void = () => {};
  readonly #sizes: ResizeObserver;
  readonly #themes: MutationObserver;
  readonly #end = new AbortController();
  readonly #stillness = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #forced = matchMedia('(forced-colors: active)');
  #colours: Colours | null = null;
  #size: ChartSize = { width: 0, height: 0 };
  #ratio = 1;
  #isOverEmpty = true;

  constructor(root: HTMLElement) {
    this.#root = root;
    const hidden = { attributes: { 'aria-hidden': 'true' } };
    this.#base = element('canvas', 'tl-base', hidden);
    this.#over = element('canvas', 'tl-over', hidden);
    this.stage = element('div', 'tl-stage', {
      attributes: { tabindex: '0', role: 'application', 'aria-roledescription': 'chart' },
      children: [this.#base, this.#over],
    });
    root.classList.add('tl-chart');
    root.append(this.stage);
    this.#sizes = new ResizeObserver(() => this.#measure());
    this.#sizes.observe(root);
    this.#themes = new MutationObserver(() => this.refresh());
    const watched = { attributes: true, attributeFilter: THEME_ATTRIBUTES };
    this.#themes.observe(document.documentElement, watched);
    if (root.parentElement !== null) this.#themes.observe(root.parentElement, watched);
    this.#watchMedia();
    this.#watchRatio();
    this.#measure();
  }

  get size(): ChartSize {
    return this.#size;
  }

  get ratio(): number {
    return this.#ratio;
  }

  get colours(): Colours {
    this.#colours ??= readColours(this.stage);
    return this.#colours;
  }

  /** 1 at the usual size of text, 2 at 200 %. */
  get textScale(): number {
    const { fontSize } = getComputedStyle(document.documentElement);
    const scale = Number.parseFloat(fontSize) / ROOT_FONT_PX;
    return Number.isFinite(scale) ? Math.min(3, Math.max(1, scale)) : 1;
  }

  get hasMotion(): boolean {
    return !this.#stillness.matches;
  }

  get hasForcedColours(): boolean {
    return this.#forced.matches;
  }

  /** The colours of one theme, whichever the page has. */
  themed(theme: 'light' | 'dark'): Colours {
    const probe = element('span', '', { attributes: { 'data-theme': theme } });
    probe.style.colorScheme = theme;
    this.stage.append(probe);
    const colours = readColours(probe);
    probe.remove();
    return colours;
  }

  /** Reads the colours again. */
  refresh(): void {
    this.#colours = null;
    this.onChange();
  }

  paint(batches: readonly Batch[]): void {
    const context = this.#base.getContext('2d', { alpha: false });
    if (context !== null) paintCanvas(context, batches, this.colours, this.#ratio);
  }

  paintOver(batches: readonly Batch[]): void {
    if (batches.length === 0 && this.#isOverEmpty) return;
    const context = this.#over.getContext('2d');
    if (context === null) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#over.width, this.#over.height);
    this.#isOverEmpty = batches.length === 0;
    if (!this.#isOverEmpty) paintCanvas(context, batches, this.colours, this.#ratio);
  }

  destroy(): void {
    this.#sizes.disconnect();
    this.#themes.disconnect();
    this.#end.abort();
    this.stage.remove();
    this.#root.classList.remove('tl-chart');
  }

  #measure(): void {
    const { clientWidth: width, clientHeight: height } = this.#root;
    const ratio = Math.min(PIXEL_RATIO_MAX, Math.max(1, devicePixelRatio));
    const { size } = this;
    if (width === size.width && height === size.height && ratio === this.#ratio) return;
    this.#size = { width, height };
    this.#ratio = ratio;
    for (const canvas of [this.#base, this.#over]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${canvas.width / ratio}px`;
      canvas.style.height = `${canvas.height / ratio}px`;
    }
    this.#isOverEmpty = false;
    this.onChange();
  }

  #watchMedia(): void {
    const { signal } = this.#end;
    const refresh = () => this.refresh();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    for (const query of [dark, this.#forced, this.#stillness]) {
      query.addEventListener('change', refresh, { signal });
    }
    // A canvas does not wait for fonts as text of the page does.
    document.fonts?.addEventListener('loadingdone', refresh, { signal });
  }

  /** A window that moves to another screen changes its ratio without changing its size. */
  #watchRatio(): void {
    if (this.#end.signal.aborted) return;
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const changed = () => {
      this.#measure();
      this.#watchRatio();
    };
    query.addEventListener('change', changed, { once: true, signal: this.#end.signal });
  }
}
