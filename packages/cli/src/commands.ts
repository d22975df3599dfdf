/** Every command of `tapeloom`, in the order of its help: one file each in `commands/`. */

import type { Command } from './command.ts';

export const commands: readonly Command[] = [];
