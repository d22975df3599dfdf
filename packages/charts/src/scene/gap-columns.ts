/** Gaps: hatched columns with words, in front of everything that would bridge them. */

import type { GapColumn } from '../series/chart-bar.ts';
import type { Frame } from './frame.ts';
import { paint, segment } from './shapes.ts';

const WORDS_FROM_PX = 60;
const HATCH_PX = 8;
const CARD = { width: 92, height: 54 };
const WHY: Readonly<Record<GapColumn['why'], string>> = {
  missing: 'no feed',
  damaged: 'damaged',
  partial: 'incomplete',
};

/** Gap, 13:35 to 14:00, no feed */
function gapTexts(gap: GapColumn, { input }: Pick<Frame, 'input'>): readonly string[] {
  const { timeText } = input;
  return ['Gap', `${timeText.clock(gap.fromNs)} to ${timeText.clock(gap.endNs)}`, WHY[gap.why]];
}

export function paintGaps(frame: Frame): void {
  const { from, to, columns } = frame;
  for (let at = from; at < to; at += 1) {
    const column = columns[at]!;
    if (column.kind === 'gap') paintGap(frame, column, at);
  }
}

function paintGap(frame: Frame, gap: GapColumn, at: number): void {
  const { shapes, layout, window } = frame;
  const width = window.columnWidth;
  const inset = Math.min(4, width * 0.1);
  const x = frame.x(at);
  const { height } = layout.main;
  const inside = { x: x + inset, y: 0, width: width - 2 * inset, height };
  shapes.clip(inside);
  shapes.rect(paint('ground'), inside.x, 0, inside.width, height);
  const hatch = shapes.lines(paint('line-strong'));
  for (let y = -width; y < height; y += HATCH_PX) segment(hatch, x, y, x + width, y + width);
  shapes.unclip();
  const edges = shapes.rects(paint('line-strong'));
  edges.add4(Math.round(inside.x), 0, 1, height);
  edges.add4(Math.round(inside.x + inside.width) - 1, 0, 1, height);
  const texts = gapTexts(gap, frame);
  frame.mark(
    'bars',
    'gap',
    '',
    { fromNs: Number(gap.fromNs), endNs: Number(gap.endNs) },
    x,
    0,
    texts,
  );
  if (width >= WORDS_FROM_PX) paintWords(frame, texts, x + width / 2);
}

function paintWords(frame: Frame, texts: readonly string[], x: number): void {
  const { shapes, layout, window } = frame;
  const width = Math.min(CARD.width * frame.text(1), window.columnWidth - 6);
  const height = CARD.height * frame.text(1);
  const y = layout.main.height / 2;
  shapes.rect(paint('ground'), x - width / 2, y - height / 2, width, height, 7);
  shapes.frames(paint('line-strong'), 1, 7).add4(x - width / 2, y - height / 2, width, height);
  const line = frame.text(15);
  const size = Math.min(frame.text(11), width / 7.6);
  texts.forEach((text, index) => {
    const isTitle = index === 0;
    const ink = paint(isTitle ? 'ink' : 'muted');
    shapes.word(
      ink,
      isTitle ? size + 1 : size,
      isTitle ? 600 : 450,
      'center',
      x,
      y + (index - 1) * line + 0.5,
      text,
    );
  });
}
