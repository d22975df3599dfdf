import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { FLOOD } from '../../../testing/stream/in-process-stream.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';

const custom = (number: number) => ({ params: { size: 100 + number } });

test('a sandbox account that churns parameters and reconnects fills nothing, and is told to slow down [SEC-37]', async () => {
  await using desk = await AccountStream.start(FLOOD);
  const { hub } = desk.stream;
  const key = await desk.key('sandbox');
  const paying = await desk.key('live');
  const errors: { code: string; sub?: string }[] = [];
  let number = 0;
  let topicsMost = 0;
  for (let connection = 0; connection < 3; connection += 1) {
    const attacker = await desk.open(key);
    for (let round = 0; round < 30; round += 1) {
      number += 1;
      attacker.send(subscribe(`s${number}`, custom(number)));
      // Every third one is waited for, so that it lingers.
      if (round % 3 === 0) await attacker.answered();
      attacker.send({ t: 'unsubscribe', sub: `s${number}` });
      topicsMost = Math.max(topicsMost, hub.counts.topics);
    }
    await attacker.answered();
    for (const message of attacker.messages) if (message.t === 'error') errors.push(message);
    await desk.end(attacker, key);
  }
  // Two subscriptions, twice as many that linger.
  assert.ok(topicsMost <= 6, `${topicsMost} topics`);
  assert.ok(hub.counts.idleTopics <= 4);
  const limited = errors.filter(({ code }) => code === 'RATE_LIMITED');
  assert.ok(limited.length >= 20 && limited.every(({ sub }) => sub !== undefined));
  assert.equal(hub.metrics.opensRefusedTotal.rate, limited.length);

  using customer = await desk.open(paying);
  for (let count = 0; count < 25; count += 1) customer.send(subscribe(`c${count}`, custom(count)));
  for (let count = 0; count < 25; count += 1)
    await customer.find('snapshot', (it) => it.sub === `c${count}`);
  assert.ok(!customer.kinds().includes('error'));

  await desk.stream.pass(2_000);
  using back = await desk.open(key);
  back.send(subscribe('again', custom(999)));
  await back.find('snapshot');
});

test('all that a plan allows is begun at once, and again and again within the minute', async () => {
  await using desk = await AccountStream.start(FLOOD);
  const key = await desk.key('live');
  for (let round = 0; round < 4; round += 1) {
    using client = await desk.open(key);
    for (let count = 0; count < 25; count += 1) {
      client.send(subscribe(`s${count}`, custom(100 * round + count)));
    }
    await client.answered();
    assert.ok(!client.kinds().includes('error'));
    assert.equal(client.kinds().filter((kind) => kind === 'subscribed').length, 25);
    await desk.end(client, key);
  }
});
