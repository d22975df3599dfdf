/** How one kind of indicator is shown: the newest objects on a screen, and one finished object as a line. */

import type { StreamObject } from '@tapeloom/protocol/server-messages';
import type { Ink } from './ink.ts';

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
  screen(objects: readonly StreamObject[], height: number, context: ViewContext): string[];
  /** One line for a finished object, for logs and pipes. */
  line(object: StreamObject, context: ViewContext): string;
}
