/** The times of charts outside the chart workspace: UTC, and labelled so. */

import type { TimeText } from '@tapeloom/charts/scene/scene-types';

const MS_NS = 1_000_000n;

export const UTC_TEXT: TimeText = {
  clock: (ns, hasSeconds = false) => isoText(ns).slice(11, hasSeconds ? 19 : 16),
  day: (ns) => isoText(ns).slice(0, 10),
  localSeconds: (ns) => Number(ns / MS_NS) / 1_000,
  zone: 'UTC',
  zoneTitle: 'UTC',
};

function isoText(ns: bigint): string {
  return new Date(Number(ns / MS_NS)).toISOString();
}
