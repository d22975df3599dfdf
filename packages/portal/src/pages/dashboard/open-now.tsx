/** What the account has open now, against its limits. */

import type { UsageView } from '../../api/portal-shapes.ts';
import { Card } from '../../components/card.tsx';
import { Threads } from '../../components/meter.tsx';
import { exactNumber } from '../../components/number-text.ts';

export function OpenNow({ usage }: { readonly usage: UsageView }) {
  const { open, limits } = usage;
  return (
    <Card
      title="Open now"
      aside={
        limits.realtime ? (
          <span class="badge ok">
            <span class="dot" />
            Real time
          </span>
        ) : (
          <span class="badge">{Math.round(limits.delaySeconds / 60)} minutes late</span>
        )
      }
      body="open-now"
    >
      <Count name="Connections" count={open.connections} max={limits.maxConnections} />
      <Count name="Subscriptions" count={open.subscriptions} max={limits.maxSubscriptions} />
      <Count
        name="Custom configurations"
        count={open.customConfigs}
        max={limits.maxCustomConfigs}
      />
      {!limits.realtime && (
        <p class="small muted">
          Live shows trades as they happen. <a href="/plans">See the plans</a>
        </p>
      )}
    </Card>
  );
}

function Count(props: { readonly name: string; readonly count: number; readonly max: number }) {
  const { name, count, max } = props;
  return (
    <div>
      <span>{name}</span>
      <span>
        <b>{exactNumber(count)}</b> <small>of {exactNumber(max)}</small>
      </span>
      <Threads
        share={max === 0 ? 0 : count / max}
        count={Math.max(1, max)}
        isCounting
        label={`${name}: ${count} of ${max}`}
      />
    </div>
  );
}
