/** `tapeloom account resume`: takes a suspension back. */

import { suspensionCommand } from '../accounts/suspension-command.ts';
import type { Command } from '../command.ts';

export const accountResumeCommand: Command = suspensionCommand({
  path: ['account', 'resume'],
  isSuspended: false,
  summary: 'Let a suspended account go on.',
  effect: `Its keys work again within a second, with the plan it has.`,
});
