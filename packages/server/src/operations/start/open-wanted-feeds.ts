/** The feeds of this process's command line, with the machine's network and time. */

import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { marketBeside } from '../../markets/instruments/market-beside.ts';
import { webNetwork } from '../../markets/live/network.ts';
import { VENUES } from '../../markets/live/venues.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { createClock } from '../../platform/system-clock.ts';
import { WantedFeeds } from './wanted-feeds.ts';

export function openWantedFeeds(config: Config, say: (line: string) => void): WantedFeeds {
  const clock = createClock({ kind: 'system' });
  return new WantedFeeds({
    // The service may run in another directory later.
    requests: config.feeds.map(({ keyFile, ...request }) => {
      return { ...request, keyFile: keyFile === null ? null : resolve(keyFile) };
    }),
    kinds: VENUES,
    disk: new NodeDisk(),
    data: config.data,
    network: webNetwork,
    clock,
    random: Math.random,
    beside: marketBeside(config, clock.now()),
    hasOther: config.sim === 'on',
    say,
  });
}
