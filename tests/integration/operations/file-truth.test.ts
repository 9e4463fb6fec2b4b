import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blamedLines, recordedText } from '../../../src/main/cli/reading/blame.ts'
import { createFileHandlers } from '../../../src/main/operations/main/restore-file.ts'
import { filesSeenDrafts } from '../../../src/main/decode/files-seen.ts'
import { WatchedTrees } from '../../../src/main/file-watch/thread/watched-trees.ts'
import { emptyRepository } from '../../../src/main/file-watch/thread/work-tree.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import { MORE_COMMANDS } from '../../support/files/story-more-commands.ts'
import { Story, type StoryStep } from '../../support/files/repository-story.ts'
import { COMMANDS } from '../../support/files/story-commands.ts'
import { patch, person, TOOLS } from '../../support/files/story-edits.ts'
import { PERSON } from '../../support/files/true-files.ts'
import { SEED, few, isHeavy, runs } from '../../support/runner/heavy.ts'
import { openTestStore, readStore, temporaryFolder } from '../../support/store/folder.ts'
import { openedStore, type ReadStore } from '../../support/store/read-store.ts'
import { importedInto } from '../../support/transcripts/import-folder.ts'
import Database from 'better-sqlite3'

/** Tells a story, imports its transcripts, and opens what was recorded. */
async function told(
  seed: number,
  size: number,
  steps: number,
  commands: readonly StoryStep[] = Object.values(COMMANDS),
  isWatched = false,
) {
  const [root, home, data] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const story = new Story(root, `story ${seed}`, size, {
    tools: TOOLS,
    commands,
    patch,
    person,
  })
  if (isWatched) story.watch = new WatchedTrees(emptyRepository(join(data, 'watch.git')))
  story.tell(steps)
  const { db: path } = await importedInto(data, story.transcripts(home), {}, true)
  record(data, path, story)
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

/** Records what was seen around the commands, as the hooks would. */
function record(dataDir: string, path: string, story: Story): void {
  if (story.seen.length === 0) return
  const sessions = readStore(path, (db) =>
    db
      .prepare<[], { key: string; session_id: string }>(
        "SELECT k.key, e.session_id FROM event_keys k JOIN events e ON e.uuid = k.uuid WHERE k.key LIKE 'call:%'",
      )
      .all(),
  )
  const bySession = new Map(sessions.map(({ key, session_id: id }) => [key, id]))
  const { store } = openTestStore({ dataDir, hashKey: loadHashKey(dataDir) })
  for (const { call, ...seen } of story.seen) {
    const ts_wall = new Date(seen.since + 1).toISOString()
    const session_id = bySession.get(`call:${call}`) ?? ''
    const base = { source: 'hook', session_id, agent_id: null, ts_wall, ts_monotonic: null, project: null } as const
    // The recorder would remove the secret of a story's line.
    const files = seen.files.map((file) => ({
      ...file,
      text: file.text?.replaceAll(/sk-ant-\S+/g, '[redacted:key:1]'),
    }))
    const hook = { ...seen, files, tool_use_id: call } as unknown as JsonObject
    store.ingest.append(filesSeenDrafts(base, hook, (text) => text))
  }
  store.close()
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
async function judged(
  story: Story,
  store: ReadStore,
  ids: ReadonlyMap<string, string>,
  countsAll = false,
): Promise<Verdict> {
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
      // A file that a script made was there before it was shown.
      else if (origin !== 'unknown' && !(origin === 'seen' && isUnproven === true && !countsAll))
        verdict.wrong.push(`${path}:${at + 1} ${text}: ${origin} ${ids.get(event ?? '')}, not ${by.join()}`)
      // A line with a secret is not in the record.
      else verdict.unknown += Number((countsAll || isUnproven !== true) && !text.includes('sk-ant-'))
    }
  }
  return verdict
}

test('no line of a repository is said to be by a call that did not write it', async () => {
  const total = { right: 0, unknown: 0 }
  const wrong: string[] = []
  const first = (SEED % 1000) * 20
  for (let seed = first; seed < first + runs(1, 12); seed += 1) {
    const { story, store, ids } = await told(seed, isHeavy ? 60 : 8, isHeavy ? 900 : 120)
    using opened = store
    const verdict = await judged(story, opened, ids)
    wrong.push(...verdict.wrong.map((line) => `seed ${seed}: ${line}`))
    total.right += verdict.right
    total.unknown += verdict.unknown
  }
  expect(wrong).toEqual([])
  // Deletions and people leave few lines in a small story.
  expect(total.right).toBeGreaterThan(50)
  expect(total.unknown / (total.right + total.unknown)).toBeLessThan(isHeavy ? 0.15 : 0.3)
}, 600_000)

const MORE_STEPS = [...Object.values(MORE_COMMANDS), ...Object.values(COMMANDS)]

const WAYS: readonly [string, boolean, number][] = [
  ['with a look at the disk', true, 0.12],
  ['by their text', false, 0.15],
]
test.each(few(WAYS, 1))(
  'other tools and formatters leave no line wrong %s',
  async (_, isWatched, most) => {
    const total = { right: 0, unknown: 0 }
    const wrong: string[] = []
    const first = 500 + (SEED % 1000) * 20
    for (let seed = first; seed < first + runs(1, 12); seed += 1) {
      const { story, store, ids } = await told(seed, isHeavy ? 40 : 8, isHeavy ? 600 : 120, MORE_STEPS, isWatched)
      using opened = store
      const verdict = await judged(story, opened, ids, isWatched)
      wrong.push(...verdict.wrong.map((line) => `seed ${seed}: ${line}`))
      total.right += verdict.right
      total.unknown += verdict.unknown
    }
    expect(wrong).toEqual([])
    expect(total.right).toBeGreaterThan(25)
    // One small story may have many more than others.
    expect(total.unknown / (total.right + total.unknown)).toBeLessThan(isHeavy ? most : 0.3)
  },
  600_000,
)

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
