/** What a reader has drawn. Places are a price in ticks and an instant, so they stay when bars change. */

/** A point: an instant in nanoseconds since 1970, as text since JSON has no larger integers, and a price in ticks. */
export interface DrawingPoint {
  readonly ns: string;
  readonly ticks: number;
}

interface Drawn {
  /** Unique in its chart; never shown. */
  readonly key: string;
  readonly text: string;
}

export interface LineDrawing extends Drawn {
  readonly kind: 'line';
  readonly ticks: number;
}

export interface SpanDrawing extends Drawn {
  /** `range` keeps the profile and the VWAP of the bars between its two instants; its prices are not used. */
  readonly kind: 'trend' | 'rectangle' | 'measure' | 'range';
  readonly from: DrawingPoint;
  readonly to: DrawingPoint;
}

export interface TextDrawing extends Drawn {
  readonly kind: 'text';
  readonly at: DrawingPoint;
}

export type Drawing = LineDrawing | SpanDrawing | TextDrawing;
export type DrawingKind = Drawing['kind'];
