/** Functions of the client for Node: files of history and exports, and for operators the writer of pushed trades. */

export type {
  OffTickPrice,
  PushContractPosition,
  PushCounts,
  PushFault,
  PushGap,
  PushPosition,
  PushReceipt,
} from '@tapeloom/protocol/push';
export * from './node/history-cache.ts';
export { PushError } from './node/push/push-error.ts';
export type { PushWriterOptions } from './node/push/push-options.ts';
export * from './node/push/push-writer.ts';
export * from './node/save-export.ts';
