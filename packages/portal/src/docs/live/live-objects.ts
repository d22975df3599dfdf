/**
 * A subscription's objects for a chart: the newest version of each, in order of time. Removed objects stay for a while,
 * because a level that was traded is part of the picture.
 */

import { ObjectSeries } from '@tapeloom/charts/series/object-series';
import type { IndicatorObject, Subscription } from '@tapeloom/client/stream';

/** Far more than a window shows; the oldest are dropped. */
const OBJECTS_MAX = 2_000;

export class LiveObjects extends ObjectSeries {
  override put(object: IndicatorObject<string>): void {
    super.put(object);
    if (this.size > OBJECTS_MAX) this.drop(this.all[0]!.id);
  }

  /** Subscribes to the subscription's events; `onChange` runs after each change. */
  follow(subscription: Subscription<string>, onChange: () => void): void {
    const changed = (change: () => void) => {
      change();
      onChange();
    };
    subscription.on('reset', () => changed(() => this.clear()));
    subscription.on('snapshot', ({ objects }) =>
      changed(() => {
        this.clear();
        for (const object of objects) this.put(object);
      }),
    );
    subscription.on('upsert', ({ object }) => changed(() => this.put(object)));
    subscription.on('remove', ({ id, ts }) => changed(() => this.remove(id, ts)));
  }
}
