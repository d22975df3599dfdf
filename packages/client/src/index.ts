/** The client of Tapeloom: streams, history and the account. */

export { TapeloomClient } from './client.ts';
export * from './prices.ts';
export type * from './rest/answers.ts';
export type { HistoryEntry } from './rest/history-entries.ts';
export type { HistoryPage, HistoryReading } from './rest/history-reading.ts';
export type { HistoryRequest } from './rest/history-request.ts';
export * from './rest.ts';
export * from './stream.ts';
export * from './times.ts';
