/** The view of one indicator: the newest objects on a screen, and one finished object as a line. */

import type { IndicatorObject } from '@tapeloom/client';
import type { Ink } from './ink.ts';

/** Each view knows its indicator's data shape. */
export type ShownObject = IndicatorObject<string>;

export interface ViewContext {
  readonly ink: Ink;
  readonly tickSizeNanos: number;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface StreamView {
  readonly legend: string;
  /** At most `height` lines for the objects, which are given oldest first. */
  screen(objects: readonly ShownObject[], height: number, context: ViewContext): string[];
  /** One line for a finished object, for logs and pipes. */
  line(object: ShownObject, context: ViewContext): string;
}
