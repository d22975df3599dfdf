/** Volume by price of periods, on the chart. */

import type { Frame } from './frame.ts';
import { layersOf } from './layer-objects.ts';
import { paintProfile } from './side.ts';
import { isByPeriod, profileRows } from './side-objects.ts';
import { placeOfNs } from './window.ts';

/** Of a period's width. */
const PERIOD_SHARE = 0.7;

/** Profiles of periods stand on the chart, each where its period begins. */
export function paintPeriodProfiles(frame: Frame): void {
  const { bars } = frame.input.content;
  for (const layer of layersOf(frame.input, 'volume-profile')) {
    if (!isByPeriod(layer)) continue;
    for (const object of layer.objects.all) {
      const left = frame.x(Math.floor(placeOfNs(bars, object.ts)));
      if (left > frame.layout.plotWidth) break;
      const right = frame.x(placeOfNs(bars, BigInt(object.data.end)));
      if (right < 0) continue;
      paintProfile(frame, profileRows(layer, object), left, (right - left) * PERIOD_SHARE);
    }
  }
}
