/** `tapeloom account suspend`: blocks an account and deletes nothing. */

import { suspensionCommand } from '../accounts/suspension-command.ts';
import type { CommandBody } from '../command.ts';

export const accountSuspendCommand: CommandBody = suspensionCommand({
  path: ['account', 'suspend'],
  isSuspended: true,
  effect: `Requests with its keys get 403, open connections are closed with 4003 within a second. Nothing is
deleted; account resume undoes it.`,
});
