/** The client of Tapeloom: streams, history and the account. */

export { TapeloomClient } from './client.ts';
export type {
  ExportEnd,
  ExportHeader,
  ExportLine,
  OfStudy,
  StudiesHeader,
  StudyLine,
} from './export/export-lines.ts';
export type {
  ExportFormat,
  ExportPlace,
  ExportReading,
  ExportRequest,
  StudiesExportRequest,
} from './export/export-reading.ts';
export type { ZstdDecompressor } from './export/zstd-decompressor.ts';
export type { JoinedPhase, JoinedReading, JoinedRequest } from './joined/joined-reading.ts';
export * from './prices.ts';
export type * from './rest/answers.ts';
export type { HistoryEntry } from './rest/history-entries.ts';
export type { HistoryPage, HistoryReading } from './rest/history-reading.ts';
export type {
  HistoryRequest,
  PastRequest,
  StudiesRequest,
  StudyRequest,
} from './rest/history-request.ts';
export type { Keys, NewKeyRequest, OnceOptions, RotateRequest } from './rest/keys.ts';
export type { CallOptions, RateLimit } from './rest/service-http.ts';
export * from './rest.ts';
export * from './stream.ts';
export * from './times.ts';
