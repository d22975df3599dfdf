import { test } from 'node:test';
import { FeedRun } from './feed-run.ts';
import { suffer } from './fault-schedule.ts';
test('x', () => {
  const run = new FeedRun({seed:0, skewMs:-3600000, tradesPerStep: 4, feed: { gapAfterMs: 40000, waitingBytesMax: 30000 } });
  run.run(3_000);
  suffer(run, [{"name":"drops","faults":{"dropped":1},"begin":"nothing","waitMs":0,"forMs":5000},{"name":"remembers 60","faults":{"remembered":60,"saysForgotten":false},"begin":"before","waitMs":0,"forMs":45000}]);
  run.heal();
  run.run(150000);
  console.log(run.feed.status(run.now));
  run.judge();
  });
