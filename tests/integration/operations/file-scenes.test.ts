import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blamedLines, recordedText } from '../../../src/main/cli/reading/blame.ts'
import { SCENES, tellScenes, writeFormatters, type Scene } from '../../support/files/scene.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { openedStore, type ReadStore } from '../../support/store/read-store.ts'
import { importedInto } from '../../support/transcripts/import-folder.ts'

let told: ReadonlyMap<string, ReturnType<typeof tellScenes>[number]>
let folder: TempFolder
let store: ReadStore
let ids: ReadonlyMap<string, string>

beforeAll(async () => {
  folder = makeTempFolder()
  const below = (name: string) => join(realpathSync(folder.path), name)
  const [root, data, home] = [below('root'), below('data'), below('home')]
  for (const each of [root, data, home]) mkdirSync(each)
  const bin = join(root, 'bin')
  writeFormatters(bin)
  const claude = join(home, 'claude')
  mkdirSync(claude)
  const scenes = tellScenes(root, bin)
  told = new Map(scenes.map((one) => [one.scene.name, one]))
  const paths = [claude, ...scenes.flatMap(({ scene }) => scene.transcripts(claude, home))]
  const { db: path } = await importedInto(data, paths, {}, true)
  const db = new Database(path, { readonly: true })
  const keys = db.prepare<[], { uuid: string; key: string }>(
    "SELECT uuid, key FROM event_keys WHERE key LIKE 'call:%toolu_%'",
  )
  ids = new Map(keys.all().map(({ uuid, key }) => [uuid, key.slice(key.lastIndexOf('_') + 1)]))
  db.close()
  store = openedStore(path, () => undefined)
})
afterAll(() => {
  store[Symbol.dispose]()
  folder.remove()
})

/** Returns who is named for each line of a file, and the lines for which that is not who wrote them. */
async function blamed(scene: Scene, name: string) {
  const client = { call: async (op: string, input: object) => store.call(op as 'files.at', input) } as never
  const [path, text] = [join(scene.root, name), scene.text(name)]
  const all = blamedLines(text, await recordedText(client, { path }, text))
  const shown = all.at(-1)?.text === '' ? all.slice(0, -1) : all
  const named = shown.map(({ origin, event, text: line }) => {
    const who = origin === 'seen' ? 'seen' : origin === 'unknown' ? '?' : (ids.get(event ?? '') ?? 'nobody')
    const writers = [...line.matchAll(/@(\w+)/g)].map(([, label]) => label)
    const isWrong = writers.length > 0 && who !== '?' && who !== 'seen' && !writers.includes(who)
    return { who, wrong: isWrong ? [`${name}: ${line} is not by ${who}`] : [] }
  })
  return { who: named.map(({ who }) => who).join(' '), wrong: named.flatMap(({ wrong }) => wrong) }
}

test.each(SCENES)('no line of a scene is said to be by another: %s', async (name) => {
  const { scene, files = {} } = told.get(name) ?? {}
  const found = await Promise.all(
    Object.keys(files).map(async (file) => [file, await blamed(scene as Scene, file)] as const),
  )
  expect(found.flatMap(([, { wrong }]) => wrong)).toEqual([])
  expect(Object.fromEntries(found.map(([file, { who }]) => [file, who]))).toEqual(files)
})
