/**
 * The files of the provider `test`, readable by their owner only: one for each payment, the webhook secrets, and an
 * operator's requests. A file has its old or its complete new content, which is on disk before the write resolves.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  closeToOthers,
  OWNER_ONLY_DIRECTORY,
  replacePrivateFile,
} from '../platform/disk/private-file.ts';
import { EMPTY, type TestPayment } from './test-payment.ts';

const SECRET_BYTES = 32;
const SECRET_NAME = 'webhook-secret';
const SECRET_BEFORE_NAME = 'webhook-secret-before';
const ASKED_NAME = 'asked';
const PAYMENT_NAME = /^(pay_[0-9a-f]{32})\.json$/;
const ASKED_FILE = /^([0-9a-f-]{36})\.json$/;
/** Fields with instants; the files have them as text. */
const INSTANTS = new Set(['createdAt', 'paidAt', 'paidUntil', 'confirmAt', 'at', 'sendAt']);

/** An operator's request; `orderId` null: for the whole provider. */
export interface Asked {
  readonly action: string;
  readonly orderId: string | null;
}

export type AskedAnswer = { readonly done: string } | { readonly refused: string };

/** Below the data directory. */
export function testPaymentsPath(data: string): string {
  return join(data, 'payments', 'test');
}

export class PaymentFiles {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string): Promise<PaymentFiles> {
    await mkdir(join(directory, ASKED_NAME), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
    return new PaymentFiles(directory);
  }

  /** All readable payments; `onDamaged` receives the other files. */
  async payments(onDamaged: (file: string, error: unknown) => void): Promise<TestPayment[]> {
    const payments: TestPayment[] = [];
    for (const name of await readdir(this.#directory)) {
      if (!PAYMENT_NAME.test(name)) continue;
      const path = join(this.#directory, name);
      try {
        payments.push(paymentOf(await readFile(path, 'utf8'), name));
      } catch (error) {
        onDamaged(path, error);
      }
    }
    return payments;
  }

  save(payment: TestPayment): Promise<void> {
    return replacePrivateFile(
      this.#directory,
      `${payment.ref}.json`,
      JSON.stringify(payment, instantText),
    );
  }

  remove({ ref }: TestPayment): Promise<void> {
    return rm(join(this.#directory, `${ref}.json`), { force: true });
  }

  /** The signing secret, then the previous one, if any. A secret that other users could have written is replaced. */
  async secrets(): Promise<readonly [Uint8Array, ...Uint8Array[]]> {
    const kept = await this.#secret(SECRET_NAME);
    const before = await this.#secret(SECRET_BEFORE_NAME);
    const current = kept ?? randomBytes(SECRET_BYTES);
    if (kept === null) await replacePrivateFile(this.#directory, SECRET_NAME, current);
    return before === null ? [current] : [current, before];
  }

  /** Creates a new secret. The present one stays valid until the next rotation. */
  async rotateSecret(before: Uint8Array): Promise<readonly [Uint8Array, ...Uint8Array[]]> {
    const made = randomBytes(SECRET_BYTES);
    await replacePrivateFile(this.#directory, SECRET_BEFORE_NAME, before);
    await replacePrivateFile(this.#directory, SECRET_NAME, made);
    return [made, before];
  }

  async #secret(name: string): Promise<Uint8Array | null> {
    const path = join(this.#directory, name);
    const exposure = await closeToOthers(path);
    if (exposure !== 'nothing' && exposure !== 'read') return null;
    const kept = await readFile(path);
    return kept.length === SECRET_BYTES ? kept : null;
  }

  /** Unanswered requests; each is returned once. */
  async takeAsked(): Promise<readonly { readonly id: string; readonly asked: Asked | null }[]> {
    const directory = join(this.#directory, ASKED_NAME);
    const taken: { readonly id: string; readonly asked: Asked | null }[] = [];
    for (const name of await readdir(directory)) {
      const id = ASKED_FILE.exec(name)?.[1];
      if (id === undefined) continue;
      const text = await readFile(join(directory, name), 'utf8');
      await rm(join(directory, name));
      taken.push({ id, asked: askedOf(text) });
    }
    return taken;
  }

  async answer(id: string, answer: AskedAnswer): Promise<void> {
    await replacePrivateFile(
      join(this.#directory, ASKED_NAME),
      answerName(id),
      JSON.stringify(answer),
    );
  }

  /** Removes abandoned answers. */
  async forgetAnswers(): Promise<void> {
    const directory = join(this.#directory, ASKED_NAME);
    for (const name of await readdir(directory)) {
      if (!ASKED_FILE.test(name)) await rm(join(directory, name), { force: true });
    }
  }
}

/** Leaves a request for the running provider; its id leads to the answer. */
export async function leaveAsked(directory: string, asked: Asked): Promise<string> {
  const id = randomUUID();
  await replacePrivateFile(join(directory, ASKED_NAME), `${id}.json`, JSON.stringify(asked));
  return id;
}

/** Null: not answered yet. */
export async function askedAnswer(directory: string, id: string): Promise<AskedAnswer | null> {
  const path = join(directory, ASKED_NAME, answerName(id));
  try {
    const answer = JSON.parse(await readFile(path, 'utf8')) as AskedAnswer;
    await rm(path, { force: true });
    return answer;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Whether it was withdrawn before the provider took it. */
export async function withdrawAsked(directory: string, id: string): Promise<boolean> {
  try {
    await rm(join(directory, ASKED_NAME, `${id}.json`));
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

function paymentOf(text: string, name: string): TestPayment {
  const payment = {
    ...EMPTY,
    ...(JSON.parse(text, (key, value) =>
      INSTANTS.has(key) && typeof value === 'string' ? BigInt(value) : value,
    ) as TestPayment),
  };
  const isWhole =
    `${payment.ref}.json` === name &&
    typeof payment.orderId === 'string' &&
    typeof payment.createdAt === 'bigint' &&
    Number.isSafeInteger(payment.revision) &&
    Array.isArray(payment.events);
  if (!isWhole) throw new Error('it is not a payment, or not this one');
  return payment;
}

function askedOf(text: string): Asked | null {
  try {
    const { action, orderId } = JSON.parse(text) as Asked;
    const isAsked = typeof action === 'string' && (orderId === null || typeof orderId === 'string');
    return isAsked ? { action, orderId } : null;
  } catch {
    return null;
  }
}

function instantText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (value as EpochNs).toString() : value;
}

function answerName(id: string): string {
  return `${id}.answer`;
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
