import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTalks } from './talks.ts'

/** Writes documents.jsonl, dev.jsonl and test.jsonl to a folder: `node tests/bench/recall-talks/write.ts FOLDER` */
const [folder = '.', seed] = process.argv.slice(2)
const talks = makeTalks(seed === undefined ? undefined : Number(seed))
for (const [name, rows] of Object.entries(talks)) {
  writeFileSync(
    join(folder, `${name}.jsonl`),
    (rows as readonly object[]).map((row) => `${JSON.stringify(row)}\n`).join(''),
  )
  console.log(`${name}: ${rows.length}`)
}
