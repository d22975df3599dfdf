/**
 * The least that an export must do: a file sent as a stream, its SHA-256 by the thread that digests
 * exports, one synced commit before the first byte and one before the last. There is no
 * authentication, no lookup and no metering.
 */

import { createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { DigestThread } from '@tapeloom/server/exports/digest-thread';

const CHUNK_BYTES = 1_024 * 1_024;

export class DigestedFile {
  readonly #commit: StatementSync;
  readonly #digests = new DigestThread({
    onFault: (error) => {
      throw error;
    },
  });

  /** `path`: a database of its own, synced as the account database is. */
  constructor(path: string) {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec('create table charges (id integer primary key, amount integer)');
    this.#commit = database.prepare('insert into charges (amount) values (1)');
  }

  async send(file: string, response: ServerResponse): Promise<void> {
    this.#commit.run();
    response.writeHead(200, { 'content-type': 'application/zstd', trailer: 'Content-Digest' });
    using digest = this.#digests.begin();
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
      await new Promise<unknown>((left) => response.write(chunk, left));
      await digest.room();
      digest.add(chunk as Buffer);
    }
    const digested = digest.end();
    this.#commit.run();
    response.addTrailers({ 'Content-Digest': `sha-256=:${await digested}:` });
    response.end();
  }
}
