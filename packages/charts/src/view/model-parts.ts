/** The parts of a view that may not be loaded yet, as the chart without a screen uses them. */

import type { SceneParts } from '../scene/frame.ts';
import type { SceneInput } from '../scene/scene-types.ts';
import type * as handTools from './hand-tools.ts';
import type { LaterPart } from './later-part.ts';

export interface ModelParts {
  readonly hand: Pick<LaterPart<typeof handTools>, 'now' | 'need'>;
  /** Those that are here. */
  readonly forScenes: SceneParts;
  /** Loads what the scene misses. */
  needFor(input: SceneInput): void;
}
