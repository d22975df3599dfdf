/** Functions of the client that need files, for Node. */

export * from './node/history-cache.ts';
export * from './node/save-export.ts';
export { PushError } from './node/push/push-error.ts';
export type { PushWriterOptions } from './node/push/push-options.ts';
export * from './node/push/push-writer.ts';
