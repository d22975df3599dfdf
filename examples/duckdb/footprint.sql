-- Reads footprint.ndjson.zst, an export of `footprint`. Its bars have lists of levels inside, so it comes as
-- packed lines of JSON, which DuckDB reads as they are: the prices with the most volume of the whole range.
--
--   duckdb < footprint.sql

CREATE OR REPLACE VIEW lines AS
SELECT * FROM read_json(
  'footprint.ndjson.zst',
  format = 'newline_delimited',
  compression = 'zstd',
  columns = {
    t: 'VARCHAR',
    tickSizeNanos: 'BIGINT',
    id: 'VARCHAR',
    final: 'BOOLEAN',
    data: 'STRUCT(levels BIGINT[][])'
  }
);

-- A level is [price, sold, bought], and a fourth number where the side of some lots is unknown.
WITH levels AS (
  SELECT unnest(data.levels) AS level FROM lines WHERE t = 'upsert' AND final
)
SELECT
  level[1] * (SELECT tickSizeNanos FROM lines WHERE t = 'header') / 1e9 AS price,
  sum(level[2]) AS sold,
  sum(level[3]) AS bought,
  sum(list_sum(level[2:])) AS volume
FROM levels
GROUP BY price
ORDER BY volume DESC, price
LIMIT 10;
