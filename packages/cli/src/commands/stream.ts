/**
 * `tapeloom stream`: watches one indicator of one instrument. On a terminal it paints a live picture, in a pipe it
 * writes a line per finished object, with `--json` every update. After a lost connection it reconnects and the stream
 * resumes. Ctrl-c ends it with 0; a rejection, or a service unreachable at the start, ends it with an error.
 */

import { createClock } from '@tapeloom/server/platform/system-clock';
import type { Command } from '../command.ts';
import { CUSTOMER_USAGE, clientAt, signedInPlace } from '../customer/customer-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { readStreamOptions } from '../stream/stream-options.ts';
import { StreamWatch } from '../stream/stream-watch.ts';

export const streamCommand: Command = {
  path: ['stream'],
  summary: 'Watch an indicator of an instrument, live.',
  usage: `Usage: tapeloom stream <instrument> <indicator> [options]

Shows an indicator while it forms: bars, footprint and large-trades as charts, others as JSON; in a pipe
a line for every finished object. A lost connection is restored, and the stream resumes where
it was. Ctrl-c ends it with exit code 0.

  --params <json>            parameters of the indicator, for example '{"bar":"volume","size":500}'
  --mode live|confirmed      live (default) shows objects while they form, confirmed only finished ones
  --from <time>              where to start: live (default), a cursor, or the past: a date, an RFC 3339
                             time or a span until now such as 2h, which costs compute units before today
${CUSTOMER_USAGE}; every update as one line, as in docs/protocol.md

Examples:
  tapeloom stream BTC.c.0 footprint
  tapeloom stream ES.c.0 bars --params '{"size":5}' --from 2h
  tapeloom stream NQ.c.0 large-trades --params '{"minSize":20}' --json | jq 'select(.t == "upsert")'
  tapeloom stream ES.c.0 bars --mode confirmed >> bars.txt
`,
  async run(args, io) {
    const clock = createClock({ kind: 'system' });
    const options = readStreamOptions(args, clock.now());
    const place = await signedInPlace(options.place, io);
    const isPainted = io.isTerminal && !options.isJson;
    // A line inside the picture would spoil it: warnings wait until the picture is gone.
    const asides: string[] = [];
    await using client = clientAt(place, io, isPainted ? (line) => asides.push(line) : io.stderr);
    try {
      await new StreamWatch({ client, options, io, clock, url: place.url, isPainted }).run();
    } finally {
      for (const line of asides) io.stderr(line);
    }
    return ExitCode.ok;
  },
};
