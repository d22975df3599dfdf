/**
 * The objects of a subscription as a chart needs them: the newest version of each in order of time, and for a while
 * also those that were removed, since a level that was traded is part of the picture.
 */

import type { SceneObject } from '@tapeloom/cli/charts/scene';
import type { Subscription } from '@tapeloom/client/stream';

/** A window shows far fewer; the oldest are forgotten. */
const OBJECTS_MAX = 2_000;

export class LiveObjects {
  readonly #objects = new Map<string, SceneObject<unknown>>();

  /** Hears the subscription from now on; `onChange` comes after each change. */
  follow(subscription: Subscription<string>, onChange: () => void): void {
    const changed = (change: () => void) => {
      change();
      onChange();
    };
    subscription.on('reset', () => changed(() => this.#objects.clear()));
    subscription.on('snapshot', ({ objects }) =>
      changed(() => {
        this.#objects.clear();
        for (const object of objects) this.#put(object);
      }),
    );
    subscription.on('upsert', ({ object }) => changed(() => this.#put(object)));
    subscription.on('remove', ({ id, ts }) => changed(() => this.#remove(id, ts)));
  }

  get size(): number {
    return this.#objects.size;
  }

  inOrder(): readonly SceneObject<unknown>[] {
    return [...this.#objects.values()].sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
  }

  #put(object: {
    readonly id: string;
    readonly final: boolean;
    readonly ts: bigint;
    readonly data: unknown;
  }): void {
    const { id, final, ts, data } = object;
    this.#objects.set(id, { id, final, ns: ts, data, removedNs: null });
    if (this.#objects.size <= OBJECTS_MAX) return;
    const [oldest] = this.#objects.keys();
    this.#objects.delete(oldest!);
  }

  #remove(id: string, ns: bigint): void {
    const object = this.#objects.get(id);
    if (object !== undefined) this.#objects.set(id, { ...object, removedNs: ns });
  }
}
