/**
 * A software authenticator with one passkey, on node:crypto: its responses are what a browser would send. A test may
 * make it sign for another origin, skip user verification, or stop its counter.
 */

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

export class SoftwarePasskey {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  /** A placeholder until a passkey is created. */
  #userHandle = 'bm9ib2R5';
  origin: string;
  isVerified = true;
  /** The counter of the next signature; null: no counter. */
  counter: number | null = 1;
  crossOrigin = false;

  constructor(origin: string) {
    this.origin = origin;
  }

  create({ challenge, rp, user }: CreationOptions) {
    this.#userHandle = user.id;
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([
      // A map of five: an EC2 key for ES256 on P-256, then x and y.
      Buffer.from('a5010203262001', 'hex'),
      Buffer.from('215820', 'hex'),
      Buffer.from(x!, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y!, 'base64url'),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = Buffer.concat([
      this.#authenticatorData(rp.id, HAS_CREDENTIAL),
      Buffer.alloc(16),
      length,
      this.id,
      key,
    ]);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(data.length);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      Buffer.from([0x59]),
      size,
      data,
    ]);
    return {
      id: this.id.toString('base64url'),
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    };
  }

  sign({ challenge, rpId }: RequestOptions) {
    const clientData = this.#clientData('webauthn.get', challenge);
    const data = this.#authenticatorData(rpId, 0);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      id: this.id.toString('base64url'),
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: this.#userHandle,
    };
  }

  #clientData(type: string, challenge: string): Buffer {
    const { origin, crossOrigin } = this;
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  #authenticatorData(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter ?? 0);
    if (this.counter !== null) this.counter += 1;
    const verified = this.isVerified ? USER_VERIFIED : 0;
    return Buffer.concat([
      createHash('sha256').update(rpId).digest(),
      Buffer.from([flags | USER_PRESENT | verified]),
      counter,
    ]);
  }
}

/** CBOR for texts shorter than 24 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}
