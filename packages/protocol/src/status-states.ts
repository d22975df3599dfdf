/** The public states of a stream, an instrument and the engine. */

/**
 * State of a stream. `warming`: its state is being computed. `live`: it follows the tape. `closed`: the market is
 * closed. `stale`: the market is open, but its source is silent for too long. `down`: its source is unavailable.
 */
export const STREAM_STATES = ['warming', 'live', 'closed', 'stale', 'down'] as const;
export type StreamState = (typeof STREAM_STATES)[number];

/** State of an instrument. `closed`: outside trading hours. `down`: its source is unavailable. */
export const INSTRUMENT_STATES = ['open', 'closed', 'down', 'expired'] as const;
export type InstrumentState = (typeof INSTRUMENT_STATES)[number];

/** `down`: trades are no longer received or computed; existing data is still served. */
export const ENGINE_STATES = ['up', 'down'] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
