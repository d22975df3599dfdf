/** A pushed batch that is refused as a whole: nothing of it reaches the tape. The message says where and why. */

import type { OffTickPrice, PushErrorCode, PushFault } from '@tapeloom/protocol/push';

export class PushRefusal extends Error {
  override readonly name = 'PushRefusal';
  readonly code: PushErrorCode;
  readonly errors: readonly PushFault[];
  readonly offTick: OffTickPrice | null;

  constructor(code: PushErrorCode, fault: PushFault, offTick: OffTickPrice | null = null) {
    super(sentenceOf(fault));
    this.code = code;
    this.errors = [fault];
    this.offTick = offTick;
  }
}

export function invalidBatch(line: number | null, path: string, message: string): PushRefusal {
  return new PushRefusal('INVALID_BATCH', { line, path, message });
}

function sentenceOf({ line, path, message }: PushFault): string {
  const place = line === null ? '' : `Line ${line}: `;
  const field = path === '' ? '' : `${path.replace(/^\//, '')} `;
  return `${place}${field}${message}`;
}
