/** Words where the loaded bars begin, and where no bar is in view, with what can be done about it. */

import type { FeedActionId, HemText } from '../feed/words.ts';
import type { ChartScene } from '../scene/scene-types.ts';
import { xOf } from '../scene/window.ts';
import { button, element, place } from './dom.ts';
import type { ViewModel } from './view-model.ts';

const WIDTH_PX = 264;
const AIR_PX = 24;
/** In less room the words would cover bars. */
const WIDTH_PX_MIN = 150;

export class HemCard {
  readonly #card = element('div', 'tl-hem', { attributes: { role: 'group' } });
  readonly #act: (action: FeedActionId) => void;
  #hem: HemText | null = null;

  constructor(root: HTMLElement, act: (action: FeedActionId) => void) {
    this.#act = act;
    this.#card.hidden = true;
    this.#card.setAttribute('aria-label', 'Begin of the chart');
    root.append(this.#card);
  }

  /** True: the words are others than before. */
  set(hem: HemText | null): boolean {
    if (isSame(hem, this.#hem)) return false;
    this.#hem = hem;
    if (hem === null) return true;
    const buttons = hem.actions.map(({ id, text }) =>
      button('tl-button', text, () => this.#act(id)),
    );
    this.#card.replaceChildren(
      element('p', 'tl-hem-text', { text: hem.text }),
      element('div', 'tl-card-actions', { children: buttons }),
    );
    return true;
  }

  /** After a frame. */
  update({ hem, layout }: ChartScene): void {
    const room = hem === null ? 0 : Math.min(hem.x + hem.width, layout.plotWidth) - 2 * AIR_PX;
    this.#card.hidden = this.#hem === null || room < WIDTH_PX_MIN;
    if (this.#card.hidden) return;
    const width = Math.min(WIDTH_PX, room);
    this.#card.style.width = `${width}px`;
    place(this.#card, room + AIR_PX - width, layout.main.height * 0.32);
  }
}

/** "No bars here. The last one is 14:10." */
export class NothingCard {
  readonly #card = element('div', 'tl-nothing', { attributes: { role: 'group' } });
  readonly #text = element('span', '');

  constructor(root: HTMLElement, goThere: () => void) {
    this.#card.setAttribute('aria-label', 'Nothing in view');
    this.#card.append(this.#text, button('tl-button', 'Go there', goThere));
    this.#card.hidden = true;
    root.append(this.#card);
  }

  update(model: ViewModel): void {
    const { scene, content } = model;
    const { last } = content.bars;
    const isEmpty = scene !== null && last !== null && !hasBarInView(scene, model);
    if (isEmpty) {
      this.#text.textContent = `No bars here. The last one is ${model.timeText.clock(last.fromNs)}.`;
    }
    this.#card.hidden = !isEmpty;
  }
}

function hasBarInView({ shown, window, layout }: ChartScene, { content }: ViewModel): boolean {
  const half = layout.main.height / 2 / window.tickHeight;
  const [low, high] = [window.middle - half, window.middle + half];
  for (let at = shown[0]; at < shown[1]; at += 1) {
    const column = content.bars.columns[at];
    if (column === undefined) continue;
    const left = xOf(window, layout, at);
    if (left >= layout.plotWidth || left + window.columnWidth <= 0) continue;
    if (column.kind === 'gap' || (column.low <= high && column.high + 1 >= low)) return true;
  }
  return false;
}

function isSame(a: HemText | null, b: HemText | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
