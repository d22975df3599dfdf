/** Painters that not every chart needs. Whoever shows a scene loads them; a scene without them leaves out what they paint. */

import type * as drawings from './drawing-painters.ts';
import type * as objects from './object-painters.ts';
import type { SceneInput } from './scene-types.ts';

export interface SceneParts {
  readonly objects?: typeof objects | null;
  readonly drawings?: typeof drawings | null;
}

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
