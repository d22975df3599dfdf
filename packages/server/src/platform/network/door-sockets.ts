/**
 * Limits the TCP connections of the public port: in all, of streams, of requests in progress, and of clients without a
 * valid key so far (strangers). Idle connections and strangers are evicted for new ones. So clients without a key
 * cannot lock out clients with one.
 */

import { type Evictable, type EvictingSlot, EvictingSlots } from '../sharing/evicting-slots.ts';

export interface SocketLimits {
  readonly all: number;
  readonly streams: number;
  readonly requests: number;
  /** Connections without a valid key so far. */
  readonly strangers: number;
  readonly strangersPerAddress: number;
}

export const STRANGERS_PER_ADDRESS_MAX = 256;

/** How connections are shared; the rest beside streams and requests is for authentication. */
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
  readonly all: number;
  readonly streams: number;
  readonly requests: number;
  readonly strangers: number;
  readonly strangersCutTotal: number;
  /** Evicted waiting connections of customers and proxies. */
  readonly waitingCutTotal: number;
  /** Connections rejected for lack of a slot. */
  readonly refusedTotal: number;
}

export interface AnySocket {
  destroy(): unknown;
  on(event: 'close', listener: () => void): unknown;
  [DOOR]?: Door;
}

/** The property in which a socket holds its `Door`, so that no lookup is needed. */
const DOOR = Symbol('door');

class Door implements Evictable {
  readonly socket: AnySocket;
  /** The holder while the account is unknown; requests of a proxy belong to their clients. */
  readonly peer: string;
  readonly isProxy: boolean;
  account: string | null = null;
  requests = 0;
  /** Ends a stream at once; null for other connections. */
  endStream: (() => void) | null = null;
  /** In the slots of strangers or of customers. */
  slot: EvictingSlot | null = null;
  readonly #doors: DoorSockets;

  constructor(doors: DoorSockets, socket: AnySocket, peer: string, isProxy: boolean) {
    this.#doors = doors;
    this.socket = socket;
    this.peer = peer;
    this.isProxy = isProxy;
  }

  /** A customer's request in progress is never evicted; a stranger can be at any time. */
  get isBusy(): boolean {
    return this.account !== null && this.requests > 0;
  }

  evict(): void {
    // Its slots are free at once, without waiting for the socket's close event.
    this.#doors.closed(this);
    if (this.endStream === null) this.socket.destroy();
    else this.endStream();
  }
}

/**
 * - A stranger is a socket without a valid key so far. Strangers are limited per address and in total; at a limit the
 *   least recently used one is evicted, in total that of the largest address. So an address shared by many clients
 *   keeps working.
 * - A socket with a valid key belongs to the key's account. It may be evicted while it waits for its next request,
 *   first at the account with the most.
 * - A trusted proxy's socket has no owner: each request counts for the address it comes from.
 */
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

  /** A connection arrived from this address; it is closed at once if no other can be evicted for it. */
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
   * A request of this client starts; `answered` ends it. False if so many are in progress that they would displace
   * streams. Sockets never opened here are not limited.
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

  /** The request had a valid key of this account. */
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
   * A stream of this client, a stranger until `proven`; null at the limit. `giveWay` must end it at once. The
   * connection of a rejected stream stays open like any other until it closes.
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

  /**
   * Strangers beyond the share reserved for them are evicted first. Up to that share, waiting customers go first, so
   * that strangers have time to authenticate.
   */
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

  closed(door: Door): void {
    if (door.socket[DOOR] !== door) return;
    delete door.socket[DOOR];
    this.#open -= 1;
    this.#leave(door);
    if (door.endStream !== null) this.#streams -= 1;
    if (door.requests > 0) this.#requests -= 1;
  }
}
