/** Every command of `tapeloom`, in the order of its help: one file each in `commands/`. */

import type { Command } from './command.ts';
import { accountCreateCommand } from './commands/account-create.ts';
import { accountListCommand } from './commands/account-list.ts';
import { accountPlanCommand } from './commands/account-plan.ts';
import { accountResumeCommand } from './commands/account-resume.ts';
import { accountShowCommand } from './commands/account-show.ts';
import { accountSuspendCommand } from './commands/account-suspend.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup.ts';
import { cacheClearCommand } from './commands/cache-clear.ts';
import { cacheLsCommand } from './commands/cache-ls.ts';
import { cacheWarmCommand } from './commands/cache-warm.ts';
import { keyCreateCommand } from './commands/key-create.ts';
import { keyListCommand } from './commands/key-list.ts';
import { keyRevokeCommand } from './commands/key-revoke.ts';
import { restoreCommand } from './commands/restore.ts';
import { serveCommand } from './commands/serve.ts';
import { simFillCommand } from './commands/sim-fill.ts';
import { streamCommand } from './commands/stream.ts';
import { studyCommand } from './commands/study.ts';
import { tapeLsCommand } from './commands/tape-ls.ts';
import { tapeVerifyCommand } from './commands/tape-verify.ts';

export const commands: readonly Command[] = [
  serveCommand,
  streamCommand,
  studyCommand,
  tapeLsCommand,
  tapeVerifyCommand,
  simFillCommand,
  cacheLsCommand,
  cacheWarmCommand,
  cacheClearCommand,
  accountCreateCommand,
  accountListCommand,
  accountShowCommand,
  accountPlanCommand,
  accountSuspendCommand,
  accountResumeCommand,
  keyCreateCommand,
  keyListCommand,
  keyRevokeCommand,
  auditCommand,
  backupCommand,
  restoreCommand,
];
