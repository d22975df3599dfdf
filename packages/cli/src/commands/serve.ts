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
  async run(args) {
    // All other commands do without the service.
    const { runProcess } = await import('@tapeloom/server/service-process');
    takeOverProcess();
    return await runProcess(args, BY_NAME);
  },
};

/** A service answers signals in its own way, and does not end when nobody reads what it prints. */
function takeOverProcess(): void {
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.stdout.removeAllListeners('error');
}
