/** The cards that appear where a hand or a key is: the readout, the numbers of a range, and the field of a drawing's text. */

import { DrawingText } from './drawing-text.ts';
import { RangeCard, type RangeCardActions } from './range-card.ts';
import { Readout } from './readout.ts';
import type { ViewModel } from './view-model.ts';

export class HandCards {
  readonly text: DrawingText;
  readonly #model: ViewModel;
  readonly #readout: Readout;
  readonly #range: RangeCard;

  constructor(
    root: HTMLElement,
    model: ViewModel,
    actions: RangeCardActions & { readonly wrote: () => void },
  ) {
    this.#model = model;
    this.#readout = new Readout(root);
    this.#range = new RangeCard(root, actions);
    this.text = new DrawingText(root, model, actions.wrote);
  }

  afterCrosshair(isCompact: boolean): void {
    this.#readout.update(this.#model, isCompact);
  }

  afterPicture(): void {
    this.#range.update(this.#model);
    this.text.follow();
  }
}
