/** `tapeloom serve`: the service itself, in this process, until a signal ends it. */

import { BY_NAME } from '@tapeloom/server/config/called-as';
import { helpText } from '@tapeloom/server/config/help-text';
import type { CommandBody } from '../command.ts';

export const serveCommand: CommandBody = {
  usage: `Usage: tapeloom serve [options]

${helpText(BY_NAME)}

Examples:
  tapeloom serve
  TAPELOOM_DATA=/var/lib/tapeloom TAPELOOM_PORT=80 tapeloom serve
`,
  run: serve,
};

/** Resolves to the exit code when a signal has ended the service. */
export async function serve(args: readonly string[]): Promise<number> {
  const { runProcess } = await import('@tapeloom/server/process/service-process');
  return await runProcess(args, BY_NAME);
}
