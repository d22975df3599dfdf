/** The child process of a hostile run: it plays one crowd beside the customers, then exits. */

import { OtherCustomers } from './hostile-others.ts';
import { HistoryAttackers } from './hostile-readers.ts';
import { SandboxAttackers } from './hostile-sandbox.ts';
import { Strangers } from './hostile-strangers.ts';
import { type CrowdOrder, type FromCrowd, Tally, type ToCrowd } from './hostile-wire.ts';

const SAMPLE_MS = 250;

interface Crowd {
  /** Open connections. */
  readonly held: number;
  come(): Promise<void>;
  leave(): Promise<void>;
}

const tally = new Tally();
let crowds: readonly Crowd[] = [];
let heldMax = 0;
const watching = setInterval(() => {
  heldMax = Math.max(
    heldMax,
    crowds.reduce((sum, { held }) => sum + held, 0),
  );
}, SAMPLE_MS);

process.on('message', (message: ToCrowd) => {
  void (message.t === 'leave' ? leave() : come(message));
});

async function come(order: CrowdOrder): Promise<void> {
  crowds =
    order.t === 'others'
      ? [new OtherCustomers(order, tally)]
      : [
          new SandboxAttackers(order, tally),
          new HistoryAttackers(order, tally),
          new Strangers(order, tally),
        ];
  await Promise.all(crowds.map((crowd) => crowd.come()));
  tell({ t: 'there' });
}

async function leave(): Promise<void> {
  clearInterval(watching);
  await Promise.all(crowds.map((crowd) => crowd.leave()));
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  tell({ t: 'left', report: { counts: tally.counts, heldMax, cpuSeconds } });
  process.disconnect?.();
}

function tell(message: FromCrowd): void {
  process.send?.(message);
}
