/** The crosshair as batches of the upper canvas: ruler or lines, tags on the axes, values of the column in the names. */

import type { Batch } from './batch.ts';
import type { ChartScene, Hover, SceneInput } from './scene-types.ts';

export function crosshairScene(_scene: ChartScene, _input: SceneInput, _hover: Hover): Batch[] {
  return [];
}
