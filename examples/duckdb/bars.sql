-- Reads bars.parquet, an export of `bars` in the format parquet, and makes hourly candles of it.
--
--   duckdb < bars.sql

-- What a tick is worth, and everything else that is true of the whole file, stands in the file itself.
CREATE OR REPLACE VIEW about AS
SELECT decode(key) AS name, decode(value) AS value FROM parquet_kv_metadata('bars.parquet');

CREATE OR REPLACE MACRO price(ticks) AS
  ticks * (SELECT value::DECIMAL(18, 0) FROM about WHERE name = 'tickSizeNanos') / 1e9;

-- Bars that will never change again, with prices in currency and times in UTC.
CREATE OR REPLACE VIEW bars AS
SELECT
  id,
  make_timestamp(epoch_us(ts)) AS opened,
  price(open) AS open, price(high) AS high, price(low) AS low, price(close) AS close,
  volume, delta
FROM 'bars.parquet'
WHERE t = 'upsert' AND final;

-- By the hour: a candle, who was the aggressor, and how the volume is shared out.
SELECT
  date_trunc('hour', opened) AS hour,
  arg_min(open, opened) AS open, max(high) AS high, min(low) AS low, arg_max(close, opened) AS close,
  sum(volume) AS volume,
  sum(delta) AS delta,
  bar(sum(volume), 0, max(sum(volume)) OVER (), 20) AS share
FROM bars
GROUP BY hour
ORDER BY hour;
