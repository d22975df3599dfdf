/** What the client can do where there are files: in Node. */

export * from './node/history-cache.ts';
export * from './node/save-export.ts';
