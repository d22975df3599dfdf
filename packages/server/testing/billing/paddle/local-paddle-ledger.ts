/** The contents of a Paddle account, in memory. Every change emits its event, and ids sort by creation. */

import type {
  IAddressResponse,
  IAdjustmentResponse,
  ICustomerResponse,
  IEventName,
  IEventsResponse,
  IProductResponse,
  ISubscriptionResponse,
  ITransactionResponse,
} from '@paddle/paddle-node-sdk';
import { paddleTime } from '../../../src/billing/paddle/paddle-fields.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Stamped } from './local-paddle-shapes.ts';

const TAX_PERCENT: Readonly<Record<string, number>> = { DE: 19, US: 8, GB: 20 };

/** A rejection by Paddle: the HTTP status, its code, and a field if one is wrong. */
export class LocalRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;

  constructor(status: number, code: string, detail: string, field: string | null = null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export class LocalPaddleLedger {
  readonly customers = new Map<string, ICustomerResponse>();
  readonly addresses = new Map<string, IAddressResponse>();
  readonly products = new Map<string, IProductResponse>();
  readonly transactions = new Map<string, ITransactionResponse>();
  readonly subscriptions = new Map<string, ISubscriptionResponse>();
  readonly adjustments = new Map<string, IAdjustmentResponse>();
  readonly events: IEventsResponse<object>[] = [];
  onEvent: (event: IEventsResponse<object>) => void = () => undefined;
  readonly clock: Clock;
  readonly #name: string;
  #ids = 0;

  constructor(clock: Clock, name = '0') {
    this.clock = clock;
    this.#name = name;
  }

  get now(): string {
    return paddleTime(this.clock.now());
  }

  taxOf(addressId: string | null): number {
    const country = addressId === null ? '' : (this.addresses.get(addressId)?.country_code ?? '');
    return TAX_PERCENT[country] ?? 0;
  }

  change<Kept extends { updated_at: string }>(
    kept: Kept,
    change: Partial<Kept>,
    event: IEventName,
  ): Kept {
    Object.assign(kept, change, { updated_at: this.now });
    this.tell(event, kept);
    return kept;
  }

  keep<Kept extends { id: string }>(into: Map<string, Kept>, kept: Kept, event: IEventName): Kept {
    into.set(kept.id, kept);
    this.tell(event, kept);
    return kept;
  }

  tell(name: IEventName, data: object): void {
    const event: IEventsResponse<object> = {
      event_id: this.newId('evt'),
      notification_id: null,
      event_type: name,
      occurred_at: this.now,
      data: structuredClone(data),
    };
    this.events.push(event);
    this.onEvent(event);
  }

  stamp(prefix: string): Stamped {
    return { id: this.newId(prefix), now: this.now };
  }

  /** Like Paddle's, ids sort by creation. */
  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_01${this.#name}${String(this.#ids).padStart(23, '0')}`;
  }
}
