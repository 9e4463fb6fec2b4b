/**
 * Writes a set of questions about coding sessions that no person and no model made: a commit's message asks, and the
 * turns that wrote the commit's lines answer. The repository must keep its sessions as Entire does: transcripts on
 * the branch entire/checkpoints/v1, and commits with the trailer Entire-Checkpoint.
 *
 *   node scripts/write-commit-questions.ts REPOSITORY FOLDER
 *
 * FOLDER receives documents.jsonl, open.jsonl (the older half of the questions, to tune on) and unseen.jsonl (the
 * newer half, to be run once), for `npm run bench -- recall --documents … --queries …`. The transcripts are other
 * people's: keep the folder out of this repository.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeQuestions } from './commit-questions/questions.ts'
import { readCommits, readSessions } from './commit-questions/repository.ts'
import { readWrittenLines } from './commit-questions/turns.ts'

const [repository, folder] = process.argv.slice(2)
if (repository === undefined || folder === undefined) {
  console.error('usage: node scripts/write-commit-questions.ts REPOSITORY FOLDER')
  process.exit(1)
}
const commits = readCommits(repository)
const sessions = readSessions(repository)
const written = readWrittenLines(sessions.transcripts())
const questions = makeQuestions(commits, sessions, written)
const half = Math.ceil(questions.length / 2)
const files = { documents: written.documents, open: questions.slice(0, half), unseen: questions.slice(half) }
mkdirSync(folder, { recursive: true })
for (const [name, items] of Object.entries(files)) {
  writeFileSync(join(folder, `${name}.jsonl`), items.map((item) => `${JSON.stringify(item)}\n`).join(''))
  console.log(`${name}: ${items.length}`)
}
