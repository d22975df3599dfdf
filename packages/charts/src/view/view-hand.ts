/** Hands and keys on a chart: their cards and what keys do are loaded when the chart is first used; nothing is lost. */

import { element } from './dom.ts';
import { FaultCard } from './fault-card.ts';
import type * as handPart from './hand-part.ts';
import type { KeyAction } from './keys.ts';
import { takeTool } from './model-gestures.ts';
import type { RangeCardActions } from './range-card.ts';
import type { ViewModel } from './view-model.ts';
import { ViewParts } from './view-parts.ts';

/** Keys that do nothing on a chart that no hand and no key has used. */
const IDLE_KEYS: readonly KeyAction['t'][] = ['escape', 'delete', 'edit-text'];

export interface HandActions extends RangeCardActions {
  /** A key has done something. */
  used(): void;
  /** The field of a drawing's text has closed. */
  wrote(): void;
}

export class ViewHand {
  readonly parts: ViewParts;
  readonly #place = element('div', '');
  readonly #fault: FaultCard;
  readonly #actions: HandActions;
  readonly #model: () => ViewModel;
  #cards: handPart.HandCards | null = null;
  #isEnded = false;

  constructor(root: HTMLElement, model: () => ViewModel, actions: HandActions) {
    this.#model = model;
    this.#actions = actions;
    this.parts = new ViewParts({
      loaded: () => this.#loaded(),
      failed: () => this.showFault(),
    });
    root.append(this.#place);
    this.#fault = new FaultCard(root, () => this.parts.again());
  }

  /** Loads it before a click or a key needs it. */
  listen(stage: HTMLElement, signal: AbortSignal): void {
    const approach = () => this.parts.hand.need();
    for (const kind of ['pointerenter', 'pointerdown', 'focus'] as const) {
      stage.addEventListener(kind, approach, { signal });
    }
  }

  /** True: the chart answers the key. */
  key(action: KeyAction): boolean {
    if (this.#cards?.text.isOpen === true) return false;
    const { hand } = this.parts;
    if (hand.now !== null) return this.#apply(hand.now, action);
    if (action.t === 'tool') {
      // A click that follows draws, whether its part is here or not.
      hand.need();
      this.#actions.used();
      return takeTool(this.#model(), action.tool);
    }
    hand.use((part) => this.#apply(part, action));
    return !IDLE_KEYS.includes(action.t);
  }

  deleteSelected(): void {
    this.parts.hand.use(({ removeSelected }) => removeSelected(this.#model()));
  }

  openText(key: string): void {
    this.parts.hand.use(() => this.#cards?.text.open(key));
  }

  /** True: a drawing is there, which can be written on now. */
  openTextAt(x: number, y: number): boolean {
    return this.#cards?.text.openAt(x, y) ?? false;
  }

  afterCrosshair(isCompact: boolean): void {
    this.#cards?.afterCrosshair(isCompact);
  }

  afterPicture(): void {
    this.#cards?.afterPicture();
  }

  showFault(): void {
    if (!this.#isEnded) this.#fault.show();
  }

  end(): void {
    this.#isEnded = true;
    this.parts.forget();
  }

  #loaded(): void {
    if (this.#isEnded) return;
    this.#fault.hide();
    const hand = this.parts.hand.now;
    const model = this.#model();
    if (hand !== null) this.#cards ??= new hand.HandCards(this.#place, model, this.#actions);
    model.changed();
  }

  #apply({ applyKey }: typeof handPart, action: KeyAction): boolean {
    const isDone = applyKey(this.#model(), action);
    if (isDone) this.#actions.used();
    return isDone;
  }
}
