/** What a chart without a screen needs of the part for hands. */

export { crosshairScene } from '../scene/crosshair-scene.ts';
export {
  paintDrawingCards,
  paintDrawingLines,
  paintRangeBox,
} from '../scene/drawing-painters.ts';
export { cellAt } from '../scene/hit.ts';
export { drawingGround } from './drawing-ground.ts';
export { drawingAt } from './drawing-hit.ts';
