/**
 * The TCP connections of the public port, and who gives way when they are too many. Three shares lie side by
 * side: streams, requests under way, and room in which anybody can say who he is. None can fill another's,
 * so whoever holds a key gets in, whatever the others do:
 *
 * - A stranger is a socket that no key has come over yet. Strangers are limited by address and in all; at a
 *   limit the one that has done nothing for longest gives way, in all that of the address that has most. So
 *   an address behind which many sit goes on working, whatever one of them leaves open.
 * - A socket over which a key came belongs to its account from then on. While it waits for its next request it
 *   can give way too, and does so first where an account keeps many.
 * - A trusted proxy's sockets are nobody's: each counts at the address it asks for, as long as it asks.
 */

import { type YieldingPlace, YieldingPlaces } from './yielding-places.ts';

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
  once(event: 'close', listener: () => void): unknown;
}

interface Door {
  readonly socket: AnySocket;
  /** Whose it is as long as nothing else is known; a proxy's belong to those it asks for. */
  readonly peer: string;
  readonly isProxy: boolean;
  account: string | null;
  requests: number;
  isStream: boolean;
  /** Among strangers, or among the waiting. */
  place: YieldingPlace | null;
}

export class DoorSockets {
  readonly limits: SocketLimits;
  readonly #doors = new Map<AnySocket, Door>();
  readonly #strangers: YieldingPlaces;
  readonly #waiting: YieldingPlaces;
  #streams = 0;
  #requests = 0;
  #refusedTotal = 0;

  constructor(limits: SocketLimits) {
    this.limits = limits;
    this.#strangers = new YieldingPlaces({
      eachMax: limits.strangersPerAddress,
      allMax: limits.strangers,
    });
    this.#waiting = new YieldingPlaces({ eachMax: limits.all, allMax: limits.all });
  }

  get counts(): SocketCounts {
    return {
      all: this.#doors.size,
      streams: this.#streams,
      requests: this.#requests,
      strangers: this.#strangers.count,
      strangersCutTotal: this.#strangers.yieldedTotal,
      waitingCutTotal: this.#waiting.yieldedTotal,
      refusedTotal: this.#refusedTotal,
    };
  }

  /** A connection has come from this address; it is closed at once where nobody can give way to it. */
  open(socket: AnySocket, peer: string, isProxy: boolean): void {
    if (this.#doors.size >= this.limits.all && !this.#makeRoom()) {
      this.#refusedTotal += 1;
      socket.destroy();
      return;
    }
    const door: Door = {
      socket,
      peer,
      isProxy,
      account: null,
      requests: 0,
      isStream: false,
      place: null,
    };
    this.#doors.set(socket, door);
    this.#wait(door);
    socket.once('close', () => this.#close(door));
  }

  /**
   * A request of this client has begun, `answered` ends it. False when so many are under way that streams
   * could not come in any more. Sockets that were never opened here are nobody's concern.
   */
  request(socket: AnySocket, address: () => string): boolean {
    const door = this.#doors.get(socket);
    if (door === undefined) return true;
    door.requests += 1;
    if (door.requests > 1) return true;
    this.#requests += 1;
    if (door.account !== null) this.#leave(door);
    else if (door.isProxy) this.#enter(door, this.#strangers, address());
    else door.place?.touch();
    return this.#requests <= this.limits.requests;
  }

  /** A valid key of this account came with the request. */
  recognised(socket: AnySocket, accountId: string): void {
    const door = this.#doors.get(socket);
    if (door === undefined || door.account === accountId) return;
    door.account = accountId;
    this.#leave(door);
  }

  answered(socket: AnySocket): void {
    const door = this.#doors.get(socket);
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
    if (!this.#doors.has(socket)) this.open(socket, address, false);
    const door = this.#doors.get(socket);
    if (door === undefined) return null;
    door.isStream = true;
    this.#streams += 1;
    this.#enter(door, this.#strangers, address, giveWay);
    return { proven: () => this.#leave(door) };
  }

  /** Strangers go first, but never so many that none of them has time to say who he is. */
  #makeRoom(): boolean {
    const { all, streams, requests } = this.limits;
    const isCrowded = this.#strangers.count > all - streams - requests;
    const order = [this.#strangers, this.#waiting];
    return (isCrowded ? order : order.reverse()).some((places) => places.yieldOne());
  }

  #wait(door: Door): void {
    if (door.isProxy) {
      door.account = null;
      this.#enter(door, this.#waiting, door.peer);
    } else if (door.account !== null) this.#enter(door, this.#waiting, door.account);
    else if (door.place === null) this.#enter(door, this.#strangers, door.peer);
    else door.place.touch();
  }

  #enter(
    door: Door,
    places: YieldingPlaces,
    holder: string,
    giveWay: () => void = () => door.socket.destroy(),
  ): void {
    this.#leave(door);
    door.place = places.enter(holder, () => {
      // What it held is free at once, not only when the socket has told that it is closed.
      this.#close(door);
      giveWay();
    });
  }

  #leave(door: Door): void {
    door.place?.[Symbol.dispose]();
    door.place = null;
  }

  #close(door: Door): void {
    if (!this.#doors.delete(door.socket)) return;
    this.#leave(door);
    if (door.isStream) this.#streams -= 1;
    if (door.requests > 0) this.#requests -= 1;
  }
}
