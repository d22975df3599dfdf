/** Times in words, remembered by zone: making them is slow, and a row writes times in every frame. */

import type { TimeText } from '@tapeloom/charts/scene/scene-types';
import { timeTexts } from '@tapeloom/charts/scene/time-text';
import type { TimeZoneChoice } from '@tapeloom/charts/spec/chart-spec';

const known = new Map<string, TimeText>();

export function zoneTexts(choice: TimeZoneChoice, exchangeZone: string | null): TimeText {
  const name = `${choice} ${exchangeZone}`;
  const texts = known.get(name) ?? timeTexts(choice, exchangeZone);
  known.set(name, texts);
  return texts;
}
