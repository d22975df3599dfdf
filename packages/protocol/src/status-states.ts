/** The states a stream, an instrument and the engine can be in, as customers see them. */

/**
 * State of a subscription's stream: `warming` building its state, `live` following the tape, `closed`
 * the market is shut, `stale` an open market whose source is silent for too long, `down` its source is gone.
 */
export const STREAM_STATES = ['warming', 'live', 'closed', 'stale', 'down'] as const;
export type StreamState = (typeof STREAM_STATES)[number];

/** Status of an instrument: `closed` outside trading hours, `down` its source is unavailable. */
export const INSTRUMENT_STATES = ['open', 'closed', 'down', 'expired'] as const;
export type InstrumentState = (typeof INSTRUMENT_STATES)[number];

/** `down`: trades are no longer taken in or computed; what is there is still served. */
export const ENGINE_STATES = ['up', 'down'] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
