/**
 * The TCP connections of the public port, and who gives way when they are too many. Three shares lie side by
 * side: streams, requests under way, and room in which anybody can say who he is. None can fill another's,
 * so whoever holds a key gets in, whatever the others do:
 *
 * - A stranger is a socket that no key has come over yet. Strangers are limited by address and in all; at a
 *   limit the one that has done nothing for longest gives way, in all that of the address that has most. So
 *   an address behind which many sit goes on working, whatever one of them leaves open.
 * - A socket over which a key came belongs to its account from then on. While it waits for its next request it
 *   can give way too, and does so first where an account has many.
 * - A trusted proxy's sockets are nobody's: each counts at the address it asks for, as long as it asks.
 */

import { type Evictable, type EvictingSlot, EvictingSlots } from '../sharing/evicting-slots.ts';

export interface SocketLimits {
  /** Connections of any kind. */
  readonly all: number;
  readonly streams: number;
  /** Connections with a request under way. */
  readonly requests: number;
  /** Connections over which no key came. */
  readonly strangers: number;
  readonly strangersPerAddress: number;
}

export const STRANGERS_PER_ADDRESS_MAX = 256;

/** How so many connections are shared: what streams and requests leave is room to say who one is. */
export function socketLimits(all: number): SocketLimits {
  const strangers = Math.floor(all / 2);
  return {
    all,
    streams: Math.floor(all / 2),
    requests: Math.floor((all * 2) / 5),
    strangers,
    strangersPerAddress: Math.min(STRANGERS_PER_ADDRESS_MAX, Math.floor(strangers / 2)),
  };
}

export interface SocketCounts {
  /** Open connections. */
  readonly all: number;
  readonly streams: number;
  readonly requests: number;
  readonly strangers: number;
  /** Strangers that gave way to others. */
  readonly strangersCutTotal: number;
  /** Waiting connections of customers and proxies that gave way to others. */
  readonly waitingCutTotal: number;
  /** Connections for which there was no room. */
  readonly refusedTotal: number;
}

/** What is needed of a socket. */
export interface AnySocket {
  destroy(): unknown;
  on(event: 'close', listener: () => void): unknown;
  [DOOR]?: Door;
}

/** Where a socket keeps its door: nothing is looked up by it. */
const DOOR = Symbol('door');

class Door implements Evictable {
  readonly socket: AnySocket;
  /** Whose it is as long as nothing else is known; a proxy's belong to those it asks for. */
  readonly peer: string;
  readonly isProxy: boolean;
  account: string | null = null;
  requests = 0;
  /** How a stream ends at once; null: it is none. */
  endStream: (() => void) | null = null;
  /** Among strangers, or among customers' sockets. */
  slot: EvictingSlot | null = null;
  readonly #doors: DoorSockets;

  constructor(doors: DoorSockets, socket: AnySocket, peer: string, isProxy: boolean) {
    this.#doors = doors;
    this.socket = socket;
    this.peer = peer;
    this.isProxy = isProxy;
  }

  /** A customer's request under way is not cut for anybody; who has not said who he is can be at any time. */
  get isBusy(): boolean {
    return this.account !== null && this.requests > 0;
  }

  evict(): void {
    // What it held is free at once, not only when the socket has told that it is closed.
    this.#doors.closed(this);
    if (this.endStream === null) this.socket.destroy();
    else this.endStream();
  }
}

export class DoorSockets {
  readonly limits: SocketLimits;
  #open = 0;
  readonly #strangers: EvictingSlots;
  readonly #customers: EvictingSlots;
  #streams = 0;
  #requests = 0;
  #refusedTotal = 0;

  constructor(limits: SocketLimits) {
    this.limits = limits;
    this.#strangers = new EvictingSlots({
      eachMax: limits.strangersPerAddress,
      allMax: limits.strangers,
    });
    this.#customers = new EvictingSlots({ eachMax: limits.all, allMax: limits.all });
  }

  get counts(): SocketCounts {
    return {
      all: this.#open,
      streams: this.#streams,
      requests: this.#requests,
      strangers: this.#strangers.count,
      strangersCutTotal: this.#strangers.evictedTotal,
      waitingCutTotal: this.#customers.evictedTotal,
      refusedTotal: this.#refusedTotal,
    };
  }

  /** A connection has come from this address; it is closed at once where nobody can give way to it. */
  open(socket: AnySocket, peer: string, isProxy: boolean): void {
    if (this.#open >= this.limits.all && !this.#makeRoom()) {
      this.#refusedTotal += 1;
      socket.destroy();
      return;
    }
    const door = new Door(this, socket, peer, isProxy);
    socket[DOOR] = door;
    this.#open += 1;
    this.#wait(door);
    socket.on('close', () => this.closed(door));
  }

  /**
   * A request of this client has begun, `answered` ends it. False when so many are under way that streams
   * could not come in any more. Sockets that were never opened here are nobody's concern.
   */
  request(socket: AnySocket, address: () => string): boolean {
    const door = socket[DOOR];
    if (door === undefined) return true;
    door.requests += 1;
    if (door.requests > 1) return true;
    this.#requests += 1;
    if (door.isProxy) this.#enter(door, this.#strangers, address());
    else if (door.account === null) door.slot?.touch();
    return this.#requests <= this.limits.requests;
  }

  /** A valid key of this account came with the request. */
  recognised(socket: AnySocket, accountId: string): void {
    const door = socket[DOOR];
    if (door === undefined || door.account === accountId) return;
    door.account = accountId;
    if (door.isProxy) this.#leave(door);
    else this.#enter(door, this.#customers, accountId);
  }

  answered(socket: AnySocket): void {
    const door = socket[DOOR];
    if (door === undefined) return;
    door.requests -= 1;
    if (door.requests > 0) return;
    this.#requests -= 1;
    this.#wait(door);
  }

  /**
   * A stream of this client, a stranger until `proven`; null when there are enough. `giveWay` is to end it at
   * once. One that is refused waits for its end like any other.
   */
  stream(socket: AnySocket, address: string, giveWay: () => void): { proven(): void } | null {
    if (this.#streams >= this.limits.streams) return null;
    if (socket[DOOR] === undefined) this.open(socket, address, false);
    const door = socket[DOOR];
    if (door === undefined) return null;
    door.endStream = giveWay;
    this.#streams += 1;
    this.#enter(door, this.#strangers, address);
    return { proven: () => this.#leave(door) };
  }

  /** Strangers go first, but never so many that none of them has time to say who he is. */
  #makeRoom(): boolean {
    const { all, streams, requests } = this.limits;
    const isCrowded = this.#strangers.count > all - streams - requests;
    const order = [this.#strangers, this.#customers];
    return (isCrowded ? order : order.reverse()).some((slots) => slots.evictOne());
  }

  #wait(door: Door): void {
    if (door.isProxy) {
      door.account = null;
      this.#enter(door, this.#customers, door.peer);
    } else if (door.slot === null) this.#enter(door, this.#strangers, door.peer);
    else door.slot.touch();
  }

  #enter(door: Door, slots: EvictingSlots, holder: string): void {
    this.#leave(door);
    door.slot = slots.enter(holder, door);
  }

  #leave(door: Door): void {
    door.slot?.[Symbol.dispose]();
    door.slot = null;
  }

  /** Its socket is closed, or about to be. */
  closed(door: Door): void {
    if (door.socket[DOOR] !== door) return;
    delete door.socket[DOOR];
    this.#open -= 1;
    this.#leave(door);
    if (door.endStream !== null) this.#streams -= 1;
    if (door.requests > 0) this.#requests -= 1;
  }
}
