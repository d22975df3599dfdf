import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MemoryKeeper,
  type MemoryStream,
  PLAIN,
  type PublishPlan,
} from '../../../../../simulation/stream-storage/memory-stream.ts';
import { StreamTime } from '../../../../../simulation/stream-storage/stream-time.ts';
import { claimNews } from './claim-body.ts';
import { FencedWriter } from './fenced-writer.ts';
import {
  AppendAbandonedError,
  FencedError,
  StreamFaultError,
  StreamRefusedError,
  StreamShrunkError,
} from './stream-errors.ts';

class Rig {
  readonly time = new StreamTime();
  readonly keeper = new MemoryKeeper(this.time);
  readonly stream: MemoryStream = this.keeper.connect();
  readonly writer = this.open('a.1');

  open(writer: string, last = 0, stream = this.stream): FencedWriter {
    return new FencedWriter({ stream, clock: this.time, writer, last });
  }

  /** Sets the outcomes of the next publishes, one by one; later ones succeed. */
  plan(...plans: Partial<PublishPlan>[]): void {
    this.stream.line.plan = () => ({ ...PLAIN, ...plans.shift() });
  }

  get texts(): readonly string[] {
    return this.keeper.messages.map(({ body }) => Buffer.from(body).toString());
  }
}

const bytes = (text: string) => Buffer.from(text);

test('appends one message after the other, each right behind the last', async () => {
  const { time, writer, ...rig } = new Rig();
  const appended = ['one', 'two', 'three'].map((text) => writer.append('record', bytes(text)));
  assert.deepEqual(await time.until(Promise.all(appended)), [1, 2, 3]);
  assert.deepEqual(
    rig.keeper.messages.map(({ sequence, subject, writer: by, body }) => [
      sequence,
      subject,
      by,
      Buffer.from(body).toString(),
    ]),
    [
      [1, 'record', 'a.1', 'one'],
      [2, 'record', 'a.1', 'two'],
      [3, 'record', 'a.1', 'three'],
    ],
  );
});

test('the bytes are the caller’s again as soon as it has called', async () => {
  const rig = new Rig();
  rig.plan({ isAnswered: false, isForgotten: true });
  const body = bytes('mine');
  const appended = rig.writer.append('record', body);
  body.fill(0);
  assert.equal(await rig.time.until(appended), 1);
  assert.deepEqual(rig.texts, ['mine']);
});

const doubtful: readonly [string, Partial<PublishPlan>[]][] = [
  ['was stored and its acknowledgement lost', [{ isAnswered: false }]],
  ['was stored and three acknowledgements lost', Array(3).fill({ isAnswered: false })],
  ['never arrived', [{ isAnswered: false, isForgotten: true }]],
  ['is still on its way when it is repeated', [{ storeMs: 4_500 }]],
  ['arrives 13 seconds late', [{ arriveMs: 13_000 }]],
  [
    'arrives late twice, in the wrong order',
    [{ arriveMs: 13_000 }, { arriveMs: 9_000 }, { arriveMs: 20_000 }],
  ],
  ['is acknowledged too late', [{ answerMs: 1_500 }]],
];
for (const [what, plans] of doubtful) {
  test(`a message that ${what} is stored once, and the next one behind it`, async () => {
    const rig = new Rig();
    rig.plan(...plans);
    assert.equal(await rig.time.until(rig.writer.append('record', bytes('one'))), 1);
    assert.equal(await rig.time.until(rig.writer.append('record', bytes('two'))), 2);
    await rig.time.pass(30_000);
    assert.deepEqual(rig.texts, ['one', 'two']);
    assert.equal(rig.writer.unknowns, 0);
    assert(rig.writer.unknownsTotal >= 1);
  });
}

test('repeats after 50 ms, then ever less often, and looks for another server after two', async () => {
  const rig = new Rig();
  const published: number[] = [];
  rig.stream.line.plan = () => {
    published.push(rig.time.ms);
    return { ...PLAIN, isAnswered: false, isForgotten: true };
  };
  const appended = rig.writer.append('record', bytes('one'));
  await rig.time.pass(12_000);
  const waits = published.slice(1).map((at, index) => at - published[index]! - 1_000);
  const near = (ms: number, wanted: number) => ms >= wanted && ms <= wanted + 40;
  for (const [index, wanted] of [50, 100, 200, 400, 800, 1_000, 1_000].entries()) {
    assert(near(waits[index]!, wanted), `${waits}`);
  }
  assert.equal(rig.stream.reconnections, Math.floor(rig.writer.unknowns / 2));
  assert(rig.stream.reconnections >= 3);
  assert.equal(rig.writer.unknownsTotal, rig.writer.unknowns);
  rig.plan();
  assert.equal(await rig.time.until(appended), 1);
});

test('who finds another’s message in its place is fenced for good', async () => {
  const rig = new Rig();
  const other = rig.open('b.1', 0, rig.keeper.connect());
  await rig.time.until(other.append('claim', bytes('')));
  const appended = [
    rig.writer.append('record', bytes('x')),
    rig.writer.append('record', bytes('y')),
  ];
  for (const append of appended) {
    await assert.rejects(rig.time.until(append), FencedError);
  }
  assert(rig.writer.ended.reason instanceof FencedError);
  assert.deepEqual(rig.texts, ['']);
});

test('the same bytes by another writer are not its own', async () => {
  const rig = new Rig();
  await rig.time.until(rig.open('b.1', 0, rig.keeper.connect()).append('claim', bytes('')));
  await assert.rejects(rig.time.until(rig.writer.append('claim', bytes(''))), FencedError);
});

test('a message whose place was purged meanwhile was somebody else’s', async () => {
  const rig = new Rig();
  const other = rig.open('b.1', 0, rig.keeper.connect());
  for (const text of ['1', '2', '3']) await rig.time.until(other.append('record', bytes(text)));
  rig.keeper.purge(3);
  await assert.rejects(rig.time.until(rig.writer.append('record', bytes('x'))), FencedError);
});

test('a server that is cut off and names an old end decides nothing', async () => {
  const rig = new Rig();
  await rig.time.until(rig.writer.append('record', bytes('one')));
  await rig.time.until(rig.writer.append('record', bytes('two')));
  rig.stream.line.oldEnd = 1;
  const appended = rig.writer.append('record', bytes('three'));
  await rig.time.pass(26_000);
  rig.stream.heal();
  assert.equal(await rig.time.until(appended), 3);
  assert.deepEqual(rig.texts, ['one', 'two', 'three']);
});

test('an old end that is named for a minute proves nothing while nothing can be stored behind it', async () => {
  const rig = new Rig();
  for (const text of ['1', '2', '3'])
    await rig.time.until(rig.writer.append('record', bytes(text)));
  rig.stream.line.oldEnd = 1;
  const appended = rig.writer.append('record', bytes('4'));
  await rig.time.pass(60_000);
  rig.stream.heal();
  assert.equal(await rig.time.until(appended), 4);
});

test('a stream that has lost what it acknowledged is told from one that is behind, and says so itself', async () => {
  const rig = new Rig();
  for (const text of ['1', '2', '3'])
    await rig.time.until(rig.writer.append('record', bytes(text)));
  rig.keeper.shrink(1);
  const appended = rig.writer.append('record', bytes('4'));
  const refused = assert.rejects(appended, (error) => {
    assert(error instanceof StreamShrunkError);
    assert.deepEqual([error.known, error.end], [3, 1]);
    return true;
  });
  await rig.time.pass(29_000);
  assert.equal(rig.keeper.last, 1);
  await rig.time.pass(5_000);
  await refused;
  assert.equal(rig.keeper.last, 2);
  assert.deepEqual(claimNews(rig.keeper.at(2)!.body), { kind: 'lost', known: 3 });
});

test('a full stream and a message that is too large are told as such', async () => {
  const rig = new Rig();
  rig.keeper.countMax = 0;
  const full = rig.time.until(rig.writer.append('record', bytes('one')));
  await assert.rejects(
    full,
    (error) => error instanceof StreamRefusedError && error.why === 'full',
  );
  const other = rig.open('a.2');
  const large = rig.time.until(other.append('record', new Uint8Array(5_000_000)));
  await assert.rejects(
    large,
    (error) => error instanceof StreamRefusedError && error.why === 'tooLarge',
  );
});

test('the message that has filled the stream is stored, though its repetition is refused', async () => {
  const rig = new Rig();
  const publish = rig.stream.publish.bind(rig.stream);
  // A server that checks its free space before the expected sequence.
  rig.stream.publish = (message, last) =>
    rig.keeper.last === 1
      ? Promise.resolve({ outcome: 'refused', why: 'full' })
      : publish(message, last);
  rig.plan({ isAnswered: false });
  assert.equal(await rig.time.until(rig.writer.append('record', bytes('one'))), 1);
  assert.equal(rig.writer.ended.aborted, false);
});

test('a message that is stored under another number ends everything', async () => {
  const rig = new Rig();
  rig.stream.publish = async () => ({ outcome: 'stored', sequence: 7 });
  await assert.rejects(rig.time.until(rig.writer.append('record', bytes('one'))), StreamFaultError);
});

test('one that is given up tells nobody that its message was stored', async () => {
  const rig = new Rig();
  rig.stream.line.isCut = true;
  const appended = assert.rejects(rig.writer.append('record', bytes('one')), AppendAbandonedError);
  await rig.time.pass(3_000);
  rig.writer.abandon();
  await rig.time.pass(2_000);
  await appended;
  await assert.rejects(rig.writer.append('record', bytes('two')), AppendAbandonedError);
  assert.equal(rig.time.timerCount, 0);
});

test('one that appends nothing learns by looking that it is fenced', async () => {
  const rig = new Rig();
  await rig.time.until(rig.writer.look());
  rig.stream.line.isCut = true;
  await rig.time.until(rig.writer.look());
  rig.stream.heal();
  await rig.time.until(rig.open('b.1', 0, rig.keeper.connect()).append('claim', bytes('')));
  await assert.rejects(rig.time.until(rig.writer.look()), FencedError);
});

test('one that appends nothing learns by looking that it is fenced, though what fenced it was purged', async () => {
  const rig = new Rig();
  await rig.time.until(rig.writer.append('record', bytes('mine')));
  rig.keeper.purge(2);
  await rig.time.until(rig.writer.look());
  const other = rig.open('b.1', 1, rig.keeper.connect());
  await rig.time.until(other.append('claim', bytes('')));
  await rig.time.until(other.append('record', bytes('theirs')));
  rig.keeper.purge(3);
  await assert.rejects(rig.time.until(rig.writer.look()), FencedError);
  assert(rig.writer.ended.reason instanceof FencedError);
});
