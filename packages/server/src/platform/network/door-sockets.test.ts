import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { DoorSockets, type SocketLimits, socketLimits } from './door-sockets.ts';

class TestSocket extends EventEmitter {
  isCut = false;

  destroy(): void {
    if (this.isCut) return;
    this.isCut = true;
    this.emit('close');
  }
}

const LIMITS: SocketLimits = {
  all: 10,
  streams: 4,
  requests: 4,
  strangers: 6,
  strangersPerAddress: 3,
};

function opened(doors: DoorSockets, address: string, { isProxy = false } = {}): TestSocket {
  const socket = new TestSocket();
  doors.open(socket, address, isProxy);
  return socket;
}

const cutOf = (sockets: readonly TestSocket[]) => sockets.map(({ isCut }) => isCut);

/** A customer's connection that got a response and waits for its next request. */
function customer(doors: DoorSockets, address: string, accountId: string): TestSocket {
  const socket = opened(doors, address);
  assert.ok(doors.request(socket, () => address));
  doors.recognised(socket, accountId);
  doors.answered(socket);
  return socket;
}

function streamed(doors: DoorSockets, address: string): TestSocket | null {
  const socket = opened(doors, address);
  const stream = doors.stream(socket, address, () => socket.destroy());
  stream?.proven();
  return stream === null ? null : socket;
}

test('an address has so many sockets without a key; one more, and the longest idle is closed [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  const mine = [1, 2, 3].map(() => opened(doors, 'a'));
  const other = opened(doors, 'b');
  // A request marks its connection as recently used.
  doors.request(mine[0]!, () => 'a');
  doors.answered(mine[0]!);
  const next = opened(doors, 'a');
  assert.deepEqual(cutOf([...mine, other, next]), [false, true, false, false, false]);
  assert.equal(doors.counts.strangers, 4);
  assert.equal(doors.counts.all, 4);
});

test('a socket over which a valid key came counts at no address, for as long as it lives [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  const customers = [1, 2, 3, 4].map((number) => customer(doors, 'a', `account ${number}`));
  const strangers = [1, 2, 3].map(() => opened(doors, 'a'));
  assert.equal(doors.counts.strangers, 3);
  opened(doors, 'a');
  assert.deepEqual(cutOf([...customers, ...strangers]), [
    ...Array(4).fill(false),
    true,
    false,
    false,
  ]);
});

test('when sockets are scarce the address that has most loses its longest idle one [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  const b = opened(doors, 'b');
  const a = [opened(doors, 'a'), opened(doors, 'a')];
  const others = ['c', 'd', 'e'].map((address) => opened(doors, address));
  assert.equal(doors.counts.strangers, LIMITS.strangers);
  opened(doors, 'f');
  assert.deepEqual(cutOf([b, ...a, ...others]), [false, true, false, false, false, false]);
  assert.equal(doors.counts.strangersCutTotal, 1);
});

test('strangers leave room for customers, and customers for strangers who may become some [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  const idle = Array.from({ length: 9 }, (_, number) => {
    return customer(doors, `${number}`, number < 5 ? 'many' : `${number}`);
  });
  const [first, second, third] = ['x', 'y', 'z'].map((address) => opened(doors, address));
  // Two of ten slots are reserved for authentication; newcomers get them first.
  assert.deepEqual(cutOf(idle), [true, true, ...Array(7).fill(false)]);
  assert.deepEqual(cutOf([first!, second!, third!]), [false, false, false]);
  opened(doors, 'w');
  assert.deepEqual(cutOf([first!, second!, third!]), [true, false, false]);
  assert.equal(doors.counts.all, LIMITS.all);
});

test('a request under way is cut for nobody: another connection gives way, though it was used later [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  const [busy, idle] = [customer(doors, 'a', 'many'), customer(doors, 'a', 'many')];
  const others = Array.from({ length: 6 }, (_, number) => customer(doors, 'b', `${number}`));
  assert.ok(doors.request(busy, () => 'a'));
  for (const address of ['x', 'y', 'z']) opened(doors, address);
  assert.deepEqual(cutOf([busy, idle, ...others]), [false, true, ...Array(6).fill(false)]);
  assert.equal(doors.counts.waitingCutTotal, 1);
});

test('streams at their limit leave room for requests, and requests at theirs for streams [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  for (let count = 0; count < LIMITS.streams; count += 1) assert.ok(streamed(doors, `${count}`));
  assert.equal(streamed(doors, 'more'), null);
  const asking = ['a', 'b', 'c', 'd'].map((address) => {
    const socket = opened(doors, address);
    assert.ok(doors.request(socket, () => address));
    doors.recognised(socket, address);
    return socket;
  });
  const late = opened(doors, 'e');
  assert.equal(
    doors.request(late, () => 'e'),
    false,
  );
  doors.answered(late);
  doors.answered(asking[0]!);
  assert.ok(doors.request(late, () => 'e'));
  assert.deepEqual(cutOf(asking), [false, false, false, false]);

  const busy = new DoorSockets(LIMITS);
  for (let count = 0; count < 10; count += 1) {
    const socket = opened(busy, `${count}`);
    if (!busy.request(socket, () => `${count}`)) busy.answered(socket);
    else busy.recognised(socket, `${count}`);
  }
  for (let count = 0; count < LIMITS.streams; count += 1) assert.ok(streamed(busy, `s${count}`));
});

test('where nobody can give way a new connection is closed at once', () => {
  const doors = new DoorSockets({ ...LIMITS, all: 4 });
  for (let count = 0; count < LIMITS.streams; count += 1) streamed(doors, `${count}`);
  assert.equal(opened(doors, 'x').isCut, true);
  assert.equal(doors.counts.refusedTotal, 1);
  assert.equal(doors.counts.all, 4);
});

test('sockets of a trusted proxy count at whom they ask for, while they ask [SEC-37]', () => {
  const doors = new DoorSockets(LIMITS);
  const pool = [1, 2, 3, 4, 5].map(() => opened(doors, 'proxy', { isProxy: true }));
  assert.equal(doors.counts.strangers, 0);
  for (const socket of pool.slice(0, 3)) doors.request(socket, () => 'guesser');
  assert.equal(doors.counts.strangers, 3);
  doors.request(pool[3]!, () => 'customer');
  doors.recognised(pool[3]!, 'account');
  doors.request(pool[4]!, () => 'guesser');
  assert.deepEqual(cutOf(pool), [true, false, false, false, false]);
  for (const socket of pool.slice(1)) doors.answered(socket);
  assert.deepEqual([doors.counts.strangers, doors.counts.requests], [0, 0]);
  // The next customer on the pooled socket is a different one.
  doors.request(pool[3]!, () => 'guesser');
  assert.equal(doors.counts.strangers, 1);
});

test('a stream that nobody has proven gives way as it likes, also through a proxy, and what is closed holds nothing [SEC-16]', () => {
  for (const isProxy of [false, true]) {
    const doors = new DoorSockets(LIMITS);
    const told: string[] = [];
    const sockets = ['one', 'two', 'three', 'four'].map((name) => {
      const socket = opened(doors, isProxy ? 'proxy' : 'a', { isProxy });
      const stream = doors.stream(socket, 'a', () => {
        told.push(name);
        socket.destroy();
      });
      assert.ok(stream);
      return socket;
    });
    assert.deepEqual(told, ['one']);
    for (const socket of sockets) socket.destroy();
    const { all, streams, requests, strangers } = doors.counts;
    assert.deepEqual([all, streams, requests, strangers], [0, 0, 0, 0]);
  }
});

test('the shares of any number of connections add up', () => {
  const { all, streams, requests, strangers, strangersPerAddress } = socketLimits(20_000);
  assert.deepEqual(
    [all, streams, requests, strangers, strangersPerAddress],
    [20_000, 10_000, 8_000, 10_000, 256],
  );
});
