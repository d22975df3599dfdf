/** `tapeloom serve`: runs the service in this process until a signal ends it; or a replay of a file or tape day. */

import { BY_NAME } from '@tapeloom/server/config/called-as';
import { helpText } from '@tapeloom/server/config/help-text';
import type { CommandBody, CommandIo } from '../command.ts';
import { asksForReplay } from '../replay/asks-for-replay.ts';

export const serveCommand: CommandBody = {
  usage: `Usage: tapeloom serve [options]
       tapeloom serve --feed <venue> <symbols>... [options]
       tapeloom serve --file <file> [options]
       tapeloom serve --replay <contract> --day <date> [options]

${helpText(BY_NAME)}

With --file your own file is replayed as if it were live, with --replay a day on the tape of a data
directory. The service's clock begins with the first trade. A replay has its own data directory, which
is removed at the end. Trades of the file before --from, and of the tape before the day, are its past.

  --file <file>        the file with trades: DBN or a CSV, plain or packed, Parquet or Arrow
  --symbol <name>      and --tick, --lot, --calendar, --side, --preset, --zone, --date, --day-month,
                       --mapping, --definitions: how to read the file, see tapeloom study --help
  --replay <contract>  a contract (ESU6) or an alias (ES.c.0: the contract it designates on that day)
  --day <date>         the day to replay, with the session that covers most of it
  --data <directory>   directory of that tape (default: TAPELOOM_DATA or ./data); it is only read
  --from <time>        where to begin: a time like 2026-09-01T13:30:00Z, or nanoseconds
  --speed <n>          how many times faster than real time (1 to 10000; default: 1)
  --hold               stop the clock until the first stream is open
  --exit-at-end        exit when everything was replayed and delivered to every stream
  --keep               keep the data directory of the replay
  --no-open            do not open the chart in the browser. It is opened from a terminal with a screen, unless
                       --hold or --exit-at-end is given; its address is printed in any case

Examples:
  tapeloom serve
  TAPELOOM_DATA=/var/lib/tapeloom TAPELOOM_PORT=80 tapeloom serve
  tapeloom serve --feed binance-usdm BTCUSDT ETHUSDT
  tapeloom serve --feed okx BTC-USDT-SWAP --feed databento ESZ6 --key-file databento.key
  tapeloom serve --file ES.dbn.zst --speed 10
  tapeloom serve --replay ES.c.0 --day 2026-09-01 --speed 60 --exit-at-end
`,
  run: serve,
};

/** Resolves to the exit code when a signal ends the service, or its end or a signal the replay. */
async function serve(args: readonly string[], io: CommandIo): Promise<number> {
  if (!asksForReplay(args)) return await serveLive(args);
  const { runReplay } = await import('../replay/run-replay.ts');
  return await runReplay(args, io);
}

export async function serveLive(args: readonly string[]): Promise<number> {
  const { runProcess } = await import('@tapeloom/server/serve');
  return await runProcess(args, BY_NAME);
}
