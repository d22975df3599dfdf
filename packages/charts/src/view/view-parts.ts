/** The parts of a view that are loaded when something first needs them, so that a page shows its chart sooner. */

import type { SceneParts } from '../scene/frame.ts';
import type * as objectPainters from '../scene/object-painters.ts';
import { needsDrawings, needsObjects } from '../scene/scene-parts.ts';
import type { SceneInput } from '../scene/scene-types.ts';
import type * as handPart from './hand-part.ts';
import { type LaterHears, LaterPart } from './later-part.ts';
import type { ModelParts } from './model-parts.ts';

export class ViewParts implements ModelParts {
  /** For hands, keys, drawings and ranges. */
  readonly hand: LaterPart<typeof handPart>;
  /** For indicators and other things that not every chart shows. */
  readonly objects: LaterPart<typeof objectPainters>;

  constructor(hears: LaterHears) {
    this.hand = new LaterPart(() => import('./hand-part.ts'), hears);
    this.objects = new LaterPart(() => import('../scene/object-painters.ts'), hears);
  }

  get forScenes(): SceneParts {
    return { objects: this.objects.now, drawings: this.hand.now };
  }

  needFor(input: SceneInput): void {
    if (needsObjects(input)) this.objects.need();
    if (needsDrawings(input)) this.hand.need();
  }

  again(): void {
    this.hand.again();
    this.objects.again();
  }

  forget(): void {
    this.hand.forget();
    this.objects.forget();
  }
}

/** All that the scene needs, for a picture; rejects if it cannot be loaded. */
export async function partsFor(input: SceneInput): Promise<SceneParts> {
  const [objects, drawings] = await Promise.all([
    needsObjects(input) ? import('../scene/object-painters.ts') : null,
    needsDrawings(input) ? import('./hand-part.ts') : null,
  ]);
  return { objects, drawings };
}
