/** How one kind of indicator is shown: the newest objects on a screen, and one finished object as a line. */

import type { IndicatorObject } from '@tapeloom/client';
import type { Ink } from './ink.ts';

/** Each view knows the shape of its indicator's data. */
export type ShownObject = IndicatorObject<string>;

export interface ViewContext {
  readonly ink: Ink;
  readonly tickSizeNanos: number;
  /** The parameters as the user gave them. */
  readonly params: Readonly<Record<string, unknown>>;
}

export interface StreamView {
  /** What the signs on the screen mean. */
  readonly legend: string;
  /** At most `height` lines that show the objects, oldest first given. */
  screen(objects: readonly ShownObject[], height: number, context: ViewContext): string[];
  /** One line for a finished object, for logs and pipes. */
  line(object: ShownObject, context: ViewContext): string;
}
