import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { recordedRuns } from '../../../src/main/decode/fixtures/recorded-runs.ts'

/** Writes the transcripts of the recorded runs below a folder, under the client's own paths. */
export function writeRecordedTranscripts(root: string): void {
  for (const { run } of recordedRuns())
    for (const { path, agent, lines } of run.transcripts) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      if (agent?.meta) writeFileSync(file.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(agent.meta))
    }
}
