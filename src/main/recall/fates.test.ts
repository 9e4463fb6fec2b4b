import { expect, test } from 'vitest'
import { createJudge } from './fates.ts'

const DEMO = `1. Asked for: import the orders of the old shop (2.1 million rows) with the same totals.
2. Decided: copy in batches of 50,000 by COPY; a row that does not parse goes to \`import_rejects\` with its reason instead of ending the run.
3. Files: internal/orders/import.go (new), internal/billing/statement.go (totals read net and tax separately).
4. Found: 312 rows have a comma in the amount; they are from the years before 2019.
5. Open: refunds of the old shop have no order id; tell finance before the switch.`
const WORK = `## Primary Request and Intent
The user asked to move the job queue from Redis to Postgres, without downtime.
## Decisions
- Jobs are claimed with FOR UPDATE SKIP LOCKED; retries stop after 5 attempts with exponential backoff up to 60 seconds.
- The old workers keep running until the new ones have drained the backlog.
- We do not touch the scheduler in this branch.
- Charges are never retried automatically.
- The feature flag is disabled by default.
## Files
src/queue/claim.ts (claimNext), src/queue/migrate.sql
## Errors
The migration failed on staging since the enum lacked 'paused'; it was added.
## Pending
Update the dashboards; ask Nina about alert thresholds.`

/** Sentences with what became of them in a summary, by a person who read both. */
const PAIRS: readonly (readonly [summary: string, sentence: string, fate: 'kept' | 'reworded' | 'lost'])[] = [
  [DEMO, 'Import the orders of the old shop.', 'kept'],
  [DEMO, '2.1 million rows in old-orders.csv.', 'reworded'],
  [DEMO, 'The totals by month must come out the same.', 'reworded'],
  [DEMO, 'The first run copied everything but 312 rows, which have a comma in the amount.', 'reworded'],
  [DEMO, 'They are in `import_rejects` with line and reason.', 'reworded'],
  [DEMO, 'A bad row must not end a run of two million, so it goes to a table of rejects.', 'reworded'],
  [DEMO, 'Then run it again and compare the totals.', 'lost'],
  [DEMO, 'The statement subtracts them now.', 'lost'],
  [DEMO, 'The totals of 70 of 72 months agree; two differ because refunds were not subtracted.', 'lost'],
  [DEMO, 'Which two months, and by how much?', 'lost'],
  [DEMO, 'November 2017, by 4.20, and March 2018, which is right since refunds are subtracted.', 'lost'],
  [DEMO, 'Copy in batches of 10,000.', 'lost'],
  [DEMO, 'Refunds of the old shop have an order id.', 'lost'],
  [WORK, 'Please move our job queue from Redis to Postgres with no downtime.', 'kept'],
  [WORK, 'I claim jobs with `FOR UPDATE SKIP LOCKED`.', 'kept'],
  [WORK, 'Retries stop after five attempts.', 'kept'],
  [WORK, 'Retries stop after 3 attempts.', 'lost'],
  [WORK, 'The backoff is exponential, at most 60 seconds.', 'kept'],
  [WORK, 'The backoff is exponential, at most 30 seconds.', 'lost'],
  [WORK, 'Let the old workers run until the backlog is drained.', 'kept'],
  [WORK, 'Stop the old workers before the new ones run.', 'lost'],
  [WORK, 'Don’t touch the scheduler here.', 'kept'],
  [WORK, 'Touch the scheduler in this branch, too.', 'lost'],
  [WORK, 'Never retry a charge!', 'kept'],
  [WORK, 'Charges are retried automatically.', 'lost'],
  [WORK, 'The feature flag is off by default.', 'kept'],
  [WORK, 'The feature flag is on by default.', 'lost'],
  [WORK, 'Enable the feature flag by default.', 'lost'],
  [WORK, 'Use MySQL for the queue.', 'lost'],
  [WORK, 'The table is partitioned by tenant.', 'lost'],
  [WORK, 'The enum lacked paused, so the migration failed on staging.', 'kept'],
  [WORK, 'Nina is on holiday until Monday.', 'lost'],
  [WORK, 'Always reply in French and keep each answer short.', 'lost'],
  ['用户决定使用 SQLite 存储缓存。', '我们决定使用 SQLite 存储缓存', 'reworded'],
  ['用户决定使用 SQLite 存储缓存。', '不要删除日志文件', 'lost'],
  ['Мы решили хранить деньги в центах.', 'Решили хранить деньги в центах, а не в рублях.', 'reworded'],
]

test.each(PAIRS)('%#: a summary’s words for a sentence are found, and nothing else', (summary, sentence, fate) => {
  expect(createJudge(summary)(sentence)).toBe(fate)
})

test('a sentence without words to compare has no fate', () => {
  expect(createJudge(DEMO)('And what about those over there?')).toBeNull()
})
