/** A zstd decoder that the caller hands in: one whole frame in, its content out. `decompress` of `fzstd` is one. */
export type ZstdDecompressor = (frame: Uint8Array) => Uint8Array | Promise<Uint8Array>;
