/** The answer of a route that anybody may read: its encodings are kept until its text is another. */

import { EncodedBody, type Representation } from '../../../platform/network/encoded-body.ts';

/** One route's: it remembers the text it answered last. */
export class PublicAnswer {
  #text: string | null = null;
  #body = new EncodedBody(Buffer.alloc(0));

  /** What to send to a client that accepts these encodings. */
  choose(text: string, acceptEncoding: string | undefined): Representation {
    if (text !== this.#text) {
      this.#text = text;
      this.#body = new EncodedBody(Buffer.from(text));
    }
    return this.#body.choose(acceptEncoding);
  }
}
