/** `tapeloom account resume`: lifts a suspension. */

import { suspensionCommand } from '../accounts/suspension-command.ts';
import type { CommandBody } from '../command.ts';

export const accountResumeCommand: CommandBody = suspensionCommand({
  path: ['account', 'resume'],
  isSuspended: false,
  effect: `Its keys work again within a second, with the plan it has.`,
});
