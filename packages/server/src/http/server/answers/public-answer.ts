/** The answer of a public route: its encodings are cached until its text changes. */

import { EncodedBody, type Representation } from '../../../platform/network/encoded-body.ts';

export class PublicAnswer {
  #text: string | null = null;
  #body = new EncodedBody(Buffer.alloc(0));

  /** The representation for a client that accepts these encodings. */
  choose(text: string, acceptEncoding: string | undefined): Representation {
    if (text !== this.#text) {
      this.#text = text;
      this.#body = new EncodedBody(Buffer.from(text));
    }
    return this.#body.choose(acceptEncoding);
  }
}
