import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { blamedLines, recordedText } from '../../../src/main/cli/reading/blame.ts'
import { createFileHandlers } from '../../../src/main/operations/main/restore-file.ts'
import { Story, type StoryStep } from '../../support/files/repository-story.ts'
import { COMMANDS } from '../../support/files/story-commands.ts'
import { patch, person, TOOLS } from '../../support/files/story-edits.ts'
import { PERSON } from '../../support/files/true-files.ts'
import { isHeavy, runs, SEED } from '../../support/runner/heavy.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { openedStore, type ReadStore } from '../../support/store/read-store.ts'
import { importedInto } from '../../support/transcripts/import-folder.ts'
import Database from 'better-sqlite3'

/** Tells a story, imports its transcripts, and opens what was recorded. */
async function told(
  seed: number,
  size: number,
  steps: number,
  commands: readonly StoryStep[] = Object.values(COMMANDS),
) {
  const [root, home, data] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const story = new Story(root, `story ${seed}`, size, {
    tools: TOOLS,
    commands,
    patch,
    person,
  })
  story.tell(steps)
  const { db: path } = await importedInto(data, story.transcripts(home), {}, true)
  const db = new Database(path, { readonly: true })
  const ids = new Map(
    db
      .prepare<[], { uuid: string; key: string }>("SELECT uuid, key FROM event_keys WHERE key LIKE 'call:%toolu_%'")
      .all()
      .map(({ uuid, key }) => [uuid, key.slice(key.indexOf('toolu_'))]),
  )
  db.close()
  return { story, store: openedStore(path, () => undefined), ids }
}

/** Commands whose text says what they do, so that the record knows the files behind them. */
const PLAIN = ['remove', 'move', 'copy', 'hereDocument', 'append', 'show', 'substitute'] as const
const PLAIN_STEPS = Object.entries(COMMANDS).flatMap(([name, step]) =>
  (PLAIN as readonly string[]).includes(name) ? step : [],
)

interface Verdict {
  right: number
  unknown: number
  readonly wrong: string[]
}

/** Compares who is said to have written the lines of the files on disk with who did. */
async function judged(story: Story, store: ReadStore, ids: ReadonlyMap<string, string>): Promise<Verdict> {
  const client = { call: async (name: string, input: object) => store.call(name as 'files.at', input) } as never
  const verdict: Verdict = { right: 0, unknown: 0, wrong: [] }
  for (const path of story.files.paths()) {
    const text = readFileSync(story.absolute(path), 'utf8')
    const lines = blamedLines(text, await recordedText(client, { path: story.absolute(path) }, text))
    for (const [at, { text, by, isUnproven }] of story.file(path).lines.entries()) {
      // The rest behind the last line break is not a line.
      if (text === '' && at === story.file(path).lines.length - 1) continue
      const { origin, event } = lines[at] ?? { origin: 'unknown', event: null }
      const isPersons = by.includes(PERSON)
      const isNamed = origin === 'proven' || origin === 'derived'
      const isRight = isNamed ? by.includes(ids.get(event ?? '') ?? '') : isPersons
      if (isRight && (isNamed || origin === 'seen' || isPersons)) verdict.right += Number(!isPersons)
      else if (origin !== 'unknown')
        verdict.wrong.push(`${path}:${at + 1} ${text}: ${origin} ${ids.get(event ?? '')}, not ${by.join()}`)
      else verdict.unknown += Number(isUnproven !== true)
    }
  }
  return verdict
}

test('no line of a repository is said to be by a call that did not write it', async () => {
  const total = { right: 0, unknown: 0 }
  const wrong: string[] = []
  const first = (SEED % 1000) * 20
  for (let seed = first; seed < first + runs(2, 12); seed += 1) {
    const { story, store, ids } = await told(seed, isHeavy ? 60 : 8, isHeavy ? 900 : 120)
    using opened = store
    const verdict = await judged(story, opened, ids)
    wrong.push(...verdict.wrong.map((line) => `seed ${seed}: ${line}`))
    total.right += verdict.right
    total.unknown += verdict.unknown
  }
  expect(wrong).toEqual([])
  // Deletions and people leave few lines in a small story.
  expect(total.right).toBeGreaterThan(100)
  expect(total.unknown / (total.right + total.unknown)).toBeLessThan(0.15)
}, 600_000)

test('a file that a call deleted or overwrote comes back byte for byte, or says what is not known of it', async () => {
  let [known, whole, equal] = [0, 0, 0]
  const first = 12
  for (let seed = first; seed < first + runs(1, 6); seed += 1) {
    const { story, store, ids } = await told(
      seed,
      isHeavy ? 40 : 8,
      isHeavy ? 500 : 120,
      seed % 6 === 1 ? undefined : PLAIN_STEPS,
    )
    using opened = store
    const { 'files.restore': restore } = createFileHandlers(async (name, input) => {
      if (name === 'team.projects') return { items: [{ project: story.files.root }] } as never
      return opened.call(name as 'files.at', input)
    })
    const events = new Map(Array.from(ids, ([uuid, id]) => [id, uuid]))
    for (const [at, { path, text, after }] of story.lost.entries()) {
      const out = story.absolute(`back${at}.txt`)
      const asked = { path: story.absolute(path), uuid: events.get(after), out, over: false, preview: false }
      const { holes, is_whole, doubted_since, line_ending } = await restore(asked, undefined as never)
      const real = readFileSync(out, 'utf8')
      expect(real).not.toContain('[redacted')
      const isKnown = holes.length === 0 && is_whole && doubted_since === null
      known += Number(isKnown)
      const expected = line_ending === null ? text.replaceAll('\r\n', '\n') : text
      // Also where a command may have changed it since.
      whole += Number(holes.length === 0 && is_whole)
      equal += Number(holes.length === 0 && is_whole && real === expected)
      expect([seed, path, after, isKnown ? real : '']).toEqual([seed, path, after, isKnown ? expected : ''])
    }
  }
  expect(known).toBeGreaterThanOrEqual(isHeavy ? 60 : 1)
  expect(equal / whole).toBeGreaterThanOrEqual(0.95)
}, 600_000)
