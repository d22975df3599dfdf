/** What a chart needs as soon as a hand or a key uses it, and to show drawings: loaded then. */

export { crosshairScene } from '../scene/crosshair-scene.ts';
export {
  paintDrawingCards,
  paintDrawingLines,
  paintRangeBox,
} from '../scene/drawing-painters.ts';
export { cellAt } from '../scene/hit.ts';
export { drawingGround } from './drawing-ground.ts';
export { drawingAt } from './drawing-hit.ts';
export { HandCards } from './hand-cards.ts';
export { applyKey, removeSelected } from './model-keys.ts';
