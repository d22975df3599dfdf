/** Functions of the client that need files, for Node. */

export * from './node/history-cache.ts';
export * from './node/save-export.ts';
