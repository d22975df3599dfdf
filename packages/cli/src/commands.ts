/** Every command of `tapeloom`, in the order of its help: one file each in `commands/`. */

import type { Command } from './command.ts';
import { simFillCommand } from './commands/sim-fill.ts';
import { streamCommand } from './commands/stream.ts';
import { studyCommand } from './commands/study.ts';
import { tapeLsCommand } from './commands/tape-ls.ts';
import { tapeVerifyCommand } from './commands/tape-verify.ts';

export const commands: readonly Command[] = [
  streamCommand,
  studyCommand,
  tapeLsCommand,
  tapeVerifyCommand,
  simFillCommand,
];
