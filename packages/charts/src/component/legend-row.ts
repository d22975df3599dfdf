/** The row above a chart on a page: its name, the numbers of the bar at the crosshair, and what the chart has to say. */

import type { FeedActionId, FeedNote } from '../feed/words.ts';
import { countText, priceText, signedText } from '../scene/number-text.ts';
import type { TimeText } from '../scene/scene-types.ts';
import type { ChartBar } from '../series/chart-bar.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { button, element } from '../view/dom.ts';
import { barWords, tickSizeOf } from '../view/view-words.ts';

export interface LegendFacts {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly bar: ChartBar | null;
  readonly note: FeedNote | null;
  readonly timeText: TimeText;
}

export class LegendRow {
  readonly #row = element('div', 'tlc-legend');
  readonly #values = element('div', 'tlc-values');
  readonly #message = element('div', 'tlc-message', { attributes: { role: 'status' } });
  readonly #act: (action: FeedActionId) => void;
  #shownValues = '';
  #shownNote = '';

  constructor(root: HTMLElement, act: (action: FeedActionId) => void) {
    this.#act = act;
    this.#row.append(this.#values, this.#message);
    root.append(this.#row);
  }

  update(facts: LegendFacts): void {
    this.#showValues(facts);
    const note = JSON.stringify(facts.note);
    if (note === this.#shownNote) return;
    this.#shownNote = note;
    this.#showNote(facts.note);
  }

  #showValues({ content, spec, bar, timeText }: LegendFacts): void {
    const tick = tickSizeOf(content);
    const price = (ticks: number) => priceText(ticks, tick);
    const name = content.instrument?.name ?? spec.instrument;
    const values: (readonly [name: string, value: string, side?: number])[] =
      bar === null
        ? []
        : [
            ['', timeText.clock(bar.fromNs, spec.bar.kind !== 'time' || spec.bar.size < 60)],
            ['O', price(bar.open)],
            ['H', price(bar.high)],
            ['L', price(bar.low)],
            ['C', price(bar.close)],
            ['Volume', countText(bar.volume)],
            ['Delta', signedText(bar.delta), bar.delta],
          ];
    const key = JSON.stringify([name, spec.bar, values]);
    if (key === this.#shownValues) return;
    this.#shownValues = key;
    const cells = values.map(([label, value, side = 0]) =>
      element('span', 'tlc-value', {
        children: [
          label,
          element('b', side > 0 ? 'tl-ask' : side < 0 ? 'tl-bid' : '', { text: value }),
        ],
      }),
    );
    this.#values.replaceChildren(
      element('b', 'tlc-name', { text: name }),
      element('span', 'tlc-bar', { text: barWords(spec.bar) }),
      ...cells,
    );
  }

  #showNote(note: FeedNote | null): void {
    const actions = (note?.actions ?? []).map(({ id, text }) =>
      button('tl-button', text, () => this.#act(id)),
    );
    this.#message.replaceChildren(note?.text ?? '', ...actions);
    this.#message.hidden = note === null;
  }
}
