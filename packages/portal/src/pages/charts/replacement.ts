/** What a new indicator could take the place of, where a plan has no more room. */

import type { RoomVerdict } from '@tapeloom/charts/feed/plan-room';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import { withoutItem } from './chart-items.ts';
import type { Desk } from './desk.ts';

export interface Replacement {
  /** As in a sentence: "large trades". */
  readonly name: string;
  /** Takes it from another chart; does nothing if it is on the chart of the new one. */
  readonly giveUp: () => void;
  /** Takes it from the chart of the new one. */
  readonly alter: (spec: ChartSpec) => ChartSpec;
}

/** Null: nothing that could go is a layer, since bars stay. */
export function replacement(
  desk: Desk,
  { replaceable }: RoomVerdict,
  next: ChartSpec | null,
): Replacement | null {
  const found = replaceable.find(({ key }) => !key.endsWith('/bars'));
  if (found === undefined || next === null) return null;
  const [chart = '', layer = ''] = splitAtSlash(found.key);
  const isHere = desk.inUse.key === chart;
  return {
    name: found.name,
    giveUp: () => {
      if (!isHere) desk.changeSpec(chart, (spec) => withoutItem(spec, layer));
    },
    alter: (spec) => (isHere ? withoutItem(spec, layer) : spec),
  };
}

function splitAtSlash(key: string): readonly string[] {
  const at = key.indexOf('/');
  return [key.slice(0, at), key.slice(at + 1)];
}
