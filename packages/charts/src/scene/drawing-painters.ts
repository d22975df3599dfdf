/** What charts with drawings or with a range need besides: loaded when one has some. */

export { paintDrawingCards, paintDrawingLines } from './drawings.ts';
export { paintRangeBox } from './range-box.ts';
