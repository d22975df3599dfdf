/** Three short samples that request an indicator; the documentation's tests run each. */

import type { GivenParams, Indicator, ParamValue } from '@tapeloom/core/studies/indicator';

/** A market that never closes. */
const INSTRUMENT = 'BTC.c.0';

export function samplesSection({ id }: Indicator, params: GivenParams): string {
  const subscribe = JSON.stringify({
    t: 'subscribe',
    sub: 'a',
    instrument: INSTRUMENT,
    indicator: id,
    params,
  });
  return [
    'Request it on [the stream](../protocol.md), from [history](../history.md), or with [the client](../../packages/client/README.md):',
    `\`\`\`json tab="Stream"\n${subscribe.replace(',"indicator"', ',\n "indicator"')}\n\`\`\``,
    `\`\`\`sh tab="History"\n${historySample(id, params)}\n\`\`\``,
    `\`\`\`ts tab="TypeScript"\n${clientSample(id, params)}\n\`\`\``,
  ].join('\n\n');
}

function historySample(id: string, params: GivenParams): string {
  return [
    'curl -sSf -H "Authorization: Bearer $TAPELOOM_KEY" --get http://127.0.0.1:8080/v1/history \\',
    `  --data-urlencode 'instrument=${INSTRUMENT}' --data-urlencode 'indicator=${id}' \\`,
    `  --data-urlencode 'params=${JSON.stringify(params)}' --data-urlencode 'limit=3' \\`,
    '  --data-urlencode "from=$(date -u -d \'-20 minutes\' +%Y-%m-%dT%H:%M:%SZ)"',
  ].join('\n');
}

function clientSample(id: string, params: GivenParams): string {
  const given = Object.entries(params).map(([name, value]) => `${name}: ${literal(value)}`);
  return `import { TapeloomClient } from '@tapeloom/client';

const client = new TapeloomClient({
  url: 'http://127.0.0.1:8080',
  key: process.env.TAPELOOM_KEY!,
});
const subscription = client.subscribe({
  indicator: '${id}',
  instrument: '${INSTRUMENT}',
  params: { ${given.join(', ')} },
});
await subscription.ready;
console.log(subscription.state.objects.size, 'objects of', subscription.state.contract);
const newest = subscription.state.latest();
console.log(newest?.id, newest?.final, newest?.data);
await client.close();`;
}

function literal(value: ParamValue): string {
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'object' ? `[${value.join(', ')}]` : String(value);
}
