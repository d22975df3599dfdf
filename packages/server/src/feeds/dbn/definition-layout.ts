/** The field positions of a DBN definition in versions 1, 2 and 3; null if a version does not have the field. */

type Offsets = readonly [v1: number | null, v2: number | null, v3: number | null];

/**
 * `nanos`: a decimal in 1e-9, 64 bits. `time`: nanoseconds since 1970. `char`: one letter. Their largest value, as that
 * of integers, means "undefined". Texts, and ids that are never undefined, have a length in each version.
 */
export type DefinitionField =
  | { readonly kind: 'nanos' | 'time' | 'char'; readonly at: Offsets }
  | { readonly kind: 'i8' | 'u8' | 'i16' | 'u16' | 'i32' | 'u32'; readonly at: Offsets }
  | { readonly kind: 'id' | 'text'; readonly at: Offsets; readonly bytes: Offsets };

export const DEFINITION_BYTES = [360, 400, 520] as const;

const same = (at: number): Offsets => [at, at, at];

/** In the order of version 3. */
export const DEFINITION_FIELDS = {
  received: { kind: 'time', at: same(16) },
  minPriceIncrementNanos: { kind: 'nanos', at: same(24) },
  displayFactorNanos: { kind: 'nanos', at: same(32) },
  expiration: { kind: 'time', at: same(40) },
  activation: { kind: 'time', at: same(48) },
  highLimitNanos: { kind: 'nanos', at: same(56) },
  lowLimitNanos: { kind: 'nanos', at: same(64) },
  maxPriceVariationNanos: { kind: 'nanos', at: same(72) },
  tradingReferencePriceNanos: { kind: 'nanos', at: [80, 80, null] },
  unitOfMeasureQtyNanos: { kind: 'nanos', at: [88, 88, 80] },
  minPriceIncrementAmountNanos: { kind: 'nanos', at: [96, 96, 88] },
  priceRatioNanos: { kind: 'nanos', at: [104, 104, 96] },
  strikePriceNanos: { kind: 'nanos', at: [328, 112, 104] },
  rawInstrumentId: { kind: 'id', at: [120, 128, 112], bytes: [4, 4, 8] },
  legPriceNanos: { kind: 'nanos', at: [null, null, 120] },
  legDeltaNanos: { kind: 'nanos', at: [null, null, 128] },
  instAttribValue: { kind: 'i32', at: [112, 120, 136] },
  underlyingId: { kind: 'u32', at: [116, 124, 140] },
  marketDepthImplied: { kind: 'i32', at: [124, 132, 144] },
  marketDepth: { kind: 'i32', at: [128, 136, 148] },
  marketSegmentId: { kind: 'u32', at: [132, 140, 152] },
  maxTradeVol: { kind: 'u32', at: [136, 144, 156] },
  minLotSize: { kind: 'i32', at: [140, 148, 160] },
  minLotSizeBlock: { kind: 'i32', at: [144, 152, 164] },
  minLotSizeRoundLot: { kind: 'i32', at: [148, 156, 168] },
  minTradeVol: { kind: 'u32', at: [152, 160, 172] },
  contractMultiplier: { kind: 'i32', at: [160, 164, 176] },
  decayQuantity: { kind: 'i32', at: [164, 168, 180] },
  originalContractSize: { kind: 'i32', at: [168, 172, 184] },
  legInstrumentId: { kind: 'u32', at: [null, null, 188] },
  legRatioPriceNumerator: { kind: 'i32', at: [null, null, 192] },
  legRatioPriceDenominator: { kind: 'i32', at: [null, null, 196] },
  legRatioQtyNumerator: { kind: 'i32', at: [null, null, 200] },
  legRatioQtyDenominator: { kind: 'i32', at: [null, null, 204] },
  legUnderlyingId: { kind: 'u32', at: [null, null, 208] },
  tradingReferenceDate: { kind: 'u16', at: [176, 176, null] },
  applId: { kind: 'i16', at: [178, 178, 212] },
  maturityYear: { kind: 'u16', at: [180, 180, 214] },
  decayStartDate: { kind: 'u16', at: [182, 182, 216] },
  channelId: { kind: 'u16', at: [184, 184, 218] },
  legCount: { kind: 'u16', at: [null, null, 220] },
  legIndex: { kind: 'u16', at: [null, null, 222] },
  currency: { kind: 'text', at: [186, 186, 224], bytes: [4, 4, 4] },
  settlCurrency: { kind: 'text', at: [190, 190, 228], bytes: [4, 4, 4] },
  secsubtype: { kind: 'text', at: [194, 194, 232], bytes: [6, 6, 6] },
  rawSymbol: { kind: 'text', at: [200, 200, 238], bytes: [22, 71, 71] },
  group: { kind: 'text', at: [222, 271, 309], bytes: [21, 21, 21] },
  exchange: { kind: 'text', at: [243, 292, 330], bytes: [5, 5, 5] },
  asset: { kind: 'text', at: [248, 297, 335], bytes: [7, 7, 11] },
  cfi: { kind: 'text', at: [255, 304, 346], bytes: [7, 7, 7] },
  securityType: { kind: 'text', at: [262, 311, 353], bytes: [7, 7, 7] },
  unitOfMeasure: { kind: 'text', at: [269, 318, 360], bytes: [31, 31, 31] },
  underlying: { kind: 'text', at: [300, 349, 391], bytes: [21, 21, 21] },
  strikePriceCurrency: { kind: 'text', at: [321, 370, 412], bytes: [4, 4, 4] },
  legRawSymbol: { kind: 'text', at: [null, null, 416], bytes: [null, null, 71] },
  instrumentClass: { kind: 'char', at: [325, 374, 487] },
  matchAlgorithm: { kind: 'char', at: [342, 375, 488] },
  mdSecurityTradingStatus: { kind: 'u8', at: [343, 376, null] },
  mainFraction: { kind: 'u8', at: [344, 377, 489] },
  priceDisplayFormat: { kind: 'u8', at: [345, 378, 490] },
  settlPriceType: { kind: 'u8', at: [346, 379, null] },
  subFraction: { kind: 'u8', at: [347, 380, 491] },
  underlyingProduct: { kind: 'u8', at: [348, 381, 492] },
  securityUpdateAction: { kind: 'char', at: [349, 382, 493] },
  maturityMonth: { kind: 'u8', at: [350, 383, 494] },
  maturityDay: { kind: 'u8', at: [351, 384, 495] },
  maturityWeek: { kind: 'u8', at: [352, 385, 496] },
  userDefinedInstrument: { kind: 'char', at: [353, 386, 497] },
  contractMultiplierUnit: { kind: 'i8', at: [354, 387, 498] },
  flowScheduleType: { kind: 'i8', at: [355, 388, 499] },
  tickRule: { kind: 'u8', at: [356, 389, 500] },
  legInstrumentClass: { kind: 'char', at: [null, null, 501] },
  legSide: { kind: 'char', at: [null, null, 502] },
} as const satisfies Readonly<Record<string, DefinitionField>>;
