/**
 * Checks the secret of the push endpoint. The file is looked at again at most once a second, when a request comes: a
 * changed file counts from then on, and a secret that it no longer has is rejected. A file that became unusable changes
 * nothing and is reported once.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { pushSecretsIn } from '../../config/push-secret.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Disk, readFileWhole } from '../../platform/disk/disk.ts';

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

export interface PushSecretOptions {
  readonly path: string;
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now'>;
  readonly onFault: (fault: Error) => void;
}

export class PushSecret {
  readonly #options: PushSecretOptions;
  #digests: readonly Buffer[] = [];
  #version: string | null = null;
  #lookedAt: bigint | null = null;
  #looking: Promise<void> | null = null;
  #hasFault = false;

  constructor(options: PushSecretOptions) {
    this.#options = options;
  }

  /** Whether the header `Authorization` carries the secret. */
  async accepts(authorization: string | undefined): Promise<boolean> {
    const [, secret] = BEARER.exec(authorization ?? '') ?? [];
    if (secret === undefined) return false;
    await this.#look();
    const given = digestOf(secret);
    // Digests have one length, and all of them are compared, so the time says nothing about the secret.
    return this.#digests.map((known) => timingSafeEqual(known, given)).includes(true);
  }

  async #look(): Promise<void> {
    const now = this.#options.clock.now();
    if (this.#lookedAt !== null && now - this.#lookedAt < SECOND_NS_BIG)
      return this.#looking ?? undefined;
    this.#lookedAt = now;
    this.#looking = this.#read();
    await this.#looking;
  }

  async #read(): Promise<void> {
    const { disk, path } = this.#options;
    try {
      const entry = await disk.stat(path);
      if (entry !== null && entry.version === this.#version) return;
      const bytes = await readFileWhole(disk, path);
      if (bytes === null) throw new Error(`the file ${path} of TAPELOOM_PUSH_SECRET_FILE is gone`);
      const secrets = pushSecretsIn(path, new TextDecoder().decode(bytes));
      if (typeof secrets === 'string') throw new Error(secrets);
      this.#digests = secrets.map(digestOf);
      this.#version = entry?.version ?? null;
      this.#hasFault = false;
    } catch (error) {
      if (!this.#hasFault) this.#options.onFault(error as Error);
      this.#hasFault = true;
    }
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
