/** Which painters a scene needs besides those of every chart. */

import type { SceneInput } from './scene-types.ts';

/** Layers that every chart can draw, or that draw nothing of their own. */
const PLAIN_LAYERS = ['vwap', 'delta'];

export function needsObjects({ spec, hasForcedColours }: SceneInput): boolean {
  const { layers, panes, side } = spec;
  return (
    hasForcedColours === true ||
    side === 'tpo' ||
    panes.includes('tape-speed') ||
    layers.some(({ indicator, isHidden }) => !isHidden && !PLAIN_LAYERS.includes(indicator))
  );
}

export function needsDrawings({ drawings, areDrawingsHidden, range }: SceneInput): boolean {
  return range !== null || (drawings.length > 0 && areDrawingsHidden !== true);
}
