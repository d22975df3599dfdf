/**
 * `tapeloom mcp`: serves the service as tools of the Model Context Protocol, on standard input and output. Imported
 * only when called, because it loads the protocol's library.
 */

import { VERSION } from '@tapeloom/server/platform/version';
import { type Command, UsageError } from '../command.ts';
import { PLACE_OPTIONS, PLACE_USAGE, visitorClient } from '../customer/customer-options.ts';
import { pngOf } from '../mcp/png.ts';
import { serveStdio } from '../mcp/serve-stdio.ts';
import { DEFAULT_LIMITS, Spending } from '../mcp/spending.ts';
import { readArgs } from '../read-args.ts';

export const mcpCommand: Command = {
  path: ['mcp'],
  summary: 'Let an assistant use the service: a server for the Model Context Protocol.',
  usage: `Usage: tapeloom mcp [options]

Speaks the Model Context Protocol on standard input and output, for assistants that start it. Its
tools list instruments and indicators, estimate costs, read history and draw charts. Calls above the
cost limits given here are refused before anything is charged.

  --max-cost <n>      compute units that one call may cost (default: ${DEFAULT_LIMITS.perCall})
  --max-total <n>     compute units that all calls together may cost (default: ${DEFAULT_LIMITS.total})
${PLACE_USAGE}

Without a key only the catalogue is available. How to add it to an assistant: docs/mcp.md.

Examples:
  tapeloom mcp
  tapeloom mcp --profile assistant --max-cost 200000 --max-total 2000000
  claude mcp add tapeloom -- tapeloom mcp --max-total 2000000
`,
  async run(args, io) {
    const texts = [...PLACE_OPTIONS, 'max-cost', 'max-total'] as const;
    const { values } = readArgs(args, { texts, words: [] });
    const spending = new Spending({
      perCall: readUnits('--max-cost', values['max-cost'], DEFAULT_LIMITS.perCall),
      total: readUnits('--max-total', values['max-total'], DEFAULT_LIMITS.total),
    });
    await using client = await visitorClient(values, io);
    const parts = { version: VERSION, service: client, spending, now: Date.now, png: pngOf };
    await serveStdio(parts, io);
    return 0;
  },
};

function readUnits(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const units = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(units)) {
    throw new UsageError(`${option} must be a number of compute units such as 200000; got ${text}`);
  }
  return units;
}
