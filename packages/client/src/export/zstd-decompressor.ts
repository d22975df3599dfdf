/** A zstd decoder that you provide: takes one whole frame, returns its content. `decompress` of `fzstd` is one. */
export type ZstdDecompressor = (frame: Uint8Array) => Uint8Array | Promise<Uint8Array>;
