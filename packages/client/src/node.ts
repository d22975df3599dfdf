/** What the client can do where there are files: in Node. */

export * from './node/save-export.ts';
