/**
 * The objects of a subscription as a chart needs them: the newest version of each in order of time, and for a while
 * also those that were removed, since a level that was traded is part of the picture.
 */

import { SceneObjects } from '@tapeloom/cli/charts/scene-objects';
import type { Subscription } from '@tapeloom/client/stream';

/** A window shows far fewer; the oldest are forgotten. */
const OBJECTS_MAX = 2_000;

export class LiveObjects extends SceneObjects<unknown> {
  constructor() {
    super(OBJECTS_MAX);
  }

  /** Hears the subscription from now on; `onChange` comes after each change. */
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
