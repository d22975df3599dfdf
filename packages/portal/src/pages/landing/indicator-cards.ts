/**
 * The landing page's indicator cards: names from the catalogue, a text and a glyph of our own. The two dyes stand for
 * buyers and sellers, all else is ink and grey. A missing or extra card fails the build.
 */

export interface IndicatorCard {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** The content of an SVG of 48 × 40. */
  readonly glyph: string;
  readonly href: string;
}

export interface Catalogue {
  readonly indicators: readonly { readonly id: string; readonly name: string }[];
}

export function indicatorCards({ indicators }: Catalogue): readonly IndicatorCard[] {
  const known = new Set(indicators.map(({ id }) => id));
  const extra = Object.keys(CARDS).find((id) => !known.has(id));
  if (extra !== undefined) throw new RangeError(`the catalogue has no indicator "${extra}"`);
  return indicators.map(({ id, name }) => {
    const card = CARDS[id];
    if (card === undefined) throw new RangeError(`the landing page has no line for "${id}"`);
    return { id, name, text: card[0], glyph: card[1].join(''), href: `/docs/indicators/${id}` };
  });
}

const NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty';

/** In words up to twenty. */
export function numberWord(count: number): string {
  return NUMBERS.split(' ')[count] ?? String(count);
}

function rect(kind: string, x: number, y: number, width: number, height: number, r = 1): string {
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${r}"/>`;
}

function path(kind: string, d: string): string {
  return `<path class="${kind}" d="${d}"/>`;
}

function disc(kind: string, x: number, y: number, r: number): string {
  return `<circle class="${kind}" cx="${x}" cy="${y}" r="${r}"/>`;
}

/** By id: the text and the glyph. */
export const CARDS: Readonly<Record<string, readonly [text: string, glyph: readonly string[]]>> = {
  bars: [
    'Time, tick, volume, range, delta and renko',
    [
      path('g-la', 'M10 5v8M10 29v7M38 2v5M38 26v6'),
      rect('g-la', 7, 13, 6, 16),
      path('g-lb', 'M24 4v32'),
      rect('g-b', 21, 9, 6, 17),
      rect('g-la', 35, 7, 6, 19),
    ],
  ],
  footprint: [
    'Bid and ask volume at every price of a bar',
    [
      ...[0, 1, 2, 3, 4].flatMap((row) => [
        rect(row === 1 ? 'g-b' : 'g-b g-o', 5, 3 + row * 7, 18, 6),
        rect(row === 3 ? 'g-a' : 'g-a g-o', 24, 3 + row * 7, 18, 6),
      ]),
      rect('g-i', 4.5, 16.5, 38, 7, 1.5),
    ],
  ],
  'large-trades': [
    'Single orders that stand out',
    [
      disc('g-a g-o', 14, 25, 9),
      disc('g-la', 14, 25, 9),
      disc('g-b g-o', 34, 12, 6),
      disc('g-lb', 34, 12, 6),
      disc('g-la', 37, 31, 3),
    ],
  ],
  delta: [
    'Buying minus selling since the open',
    [
      path('g-ln', 'M2 22h44'),
      path('g-lb', 'M3 22c4 8 7 10 12 0'),
      path('g-la', 'M15 22c4-8 7-1 12-6s8-11 17-12'),
    ],
  ],
  'volume-profile': [
    'Volume of a session at each price',
    [8, 16, 30, 40, 26, 14].map((width, row) =>
      rect(row === 3 ? 'g-ink' : 'g-n g-p', 4, 2 + row * 6.2, width, 5),
    ),
  ],
  vwap: [
    'Average price with its bands',
    [
      path('g-ln', 'M2 10c12-2 20 6 44-6M2 36c12-2 20-4 44-10'),
      path('g-i', 'M2 24c12-2 20 2 44-9'),
    ],
  ],
  imbalances: [
    'Zones where one side dominated',
    [
      rect('g-b g-o', 6, 4, 16, 6),
      ...[11, 18, 25].map((y) => rect('g-a', 24, y, 18, 6)),
      rect('g-b g-o', 6, 32, 16, 6),
    ],
  ],
  absorption: [
    'Volume that did not move the price',
    [
      path('g-ln', 'M2 32h44'),
      path('g-i', 'M4 8 14 30l6-9 8 9 6-8 4 8'),
      disc('g-b', 14, 33, 3),
      disc('g-b', 28, 33, 4),
    ],
  ],
  sweeps: [
    'One order through several prices',
    [0, 1, 2, 3].map((step) => rect('g-a', 8 + step * 9, 28 - step * 7, 8, 6)),
  ],
  tpo: [
    'Time at price, in brackets',
    [1, 2, 5, 3, 2, 1].flatMap((count, row) =>
      Array.from({ length: count }, (_, at) =>
        rect(row === 2 ? 'g-ink' : 'g-n g-p', 6 + at * 7, 2 + row * 6.3, 6, 5),
      ),
    ),
  ],
  'naked-levels': [
    'Past points of control not traded since',
    [path('g-ln', 'M12 10h34M24 30h22'), rect('g-i', 4, 6, 8, 8, 2), rect('g-i', 16, 26, 8, 8, 2)],
  ],
  'unfinished-auctions': [
    'Highs and lows where both sides traded',
    [
      rect('g-n g-p', 12, 11, 6, 24),
      rect('g-b', 7, 5, 7, 5),
      rect('g-a', 16, 5, 7, 5),
      path('g-ln', 'M25 7.500h21'),
    ],
  ],
  'tape-speed': [
    'How fast trades come, and bursts',
    [6, 9, 7, 14, 30, 24, 12, 8].map((height, at) =>
      rect(height > 20 ? 'g-ink' : 'g-n g-p', 4 + at * 5.2, 37 - height, 4, height),
    ),
  ],
  'session-levels': [
    'Open, high, low, overnight, balance',
    [
      path('g-ln', 'M2 8h44M2 32h44M2 20h44'),
      path('g-i', 'M6 20c6 0 6-12 12-12s8 24 14 24 6-12 12-12'),
    ],
  ],
};
