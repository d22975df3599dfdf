/** Tells the page around a chart what changed after a frame, each thing once. */

import type { ViewModel } from './view-model.ts';
import type { ChartViewOptions, ViewHover, ViewState } from './view-options.ts';
import { chartSentence } from './view-words.ts';

const LABEL_MS = 1000;

export class ViewReports {
  readonly #options: ChartViewOptions;
  readonly #stage: HTMLElement;
  #state = '';
  #hover: ViewHover | null = null;
  #rightNs: bigint | null = null;
  #labelled = Number.NEGATIVE_INFINITY;

  constructor(stage: HTMLElement, options: ChartViewOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  /** A linked chart has set it: this one must not answer. */
  expectTime(rightNs: bigint | null): void {
    this.#rightNs = rightNs;
  }

  /** The next frame writes the label, however new it is. */
  refreshLabel(): void {
    this.#labelled = Number.NEGATIVE_INFINITY;
  }

  afterPicture(model: ViewModel): void {
    this.#label(model);
    this.#tellState(model.state);
    this.#tellTime(model);
  }

  afterCrosshair(model: ViewModel): void {
    const hover = model.ownHover;
    const before = this.#hover;
    const isSame = hover?.column === before?.column && hover?.ticks === before?.ticks;
    if (isSame && hover?.ns === before?.ns) return;
    this.#hover = hover;
    this.#options.onHover?.(hover);
  }

  #label({ content, spec, timeText, scene }: ViewModel): void {
    const now = this.#options.clock.now();
    if (scene === null || now - this.#labelled < LABEL_MS) return;
    this.#labelled = now;
    const label = chartSentence(content, spec, scene.shown, timeText);
    this.#stage.setAttribute('aria-label', label);
  }

  #tellState(state: ViewState): void {
    const key = JSON.stringify(state);
    if (key === this.#state) return;
    this.#state = key;
    this.#options.onState?.(state);
  }

  #tellTime(model: ViewModel): void {
    if (!model.hasMovedTime) return;
    model.hasMovedTime = false;
    const rightNs = model.viewport.rightNs(model.content.bars);
    if (rightNs === this.#rightNs) return;
    this.#rightNs = rightNs;
    this.#options.onTime?.({ rightNs });
  }
}
