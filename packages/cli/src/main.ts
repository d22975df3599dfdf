/**
 * The process `tapeloom`. A service has its own way with signals and output, and is not kept waiting until all
 * commands are loaded; everything else is a command of `command-process.ts`, a replay too: it reads before it serves.
 */

import { asksForHelp } from '@tapeloom/server/config/command-line';
import { boundHeaps } from '@tapeloom/server/platform/memory/bound-heaps';
import { asksForReplay } from './replay/asks-for-replay.ts';

// Started by an older Node that could only start us beside itself: with that one we end too.
if (process.channel !== undefined) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

const [first, ...args] = process.argv.slice(2);
if (first === 'serve' && !asksForHelp(args) && !asksForReplay(args)) {
  boundHeaps();
  const { serveLive } = await import('./commands/serve.ts');
  process.exitCode = await serveLive(args);
} else {
  await import('./command-process.ts');
}
