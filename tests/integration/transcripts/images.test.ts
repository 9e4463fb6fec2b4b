import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { imageOf, type ImageParts } from '../../../src/main/operations/main/image-of.ts'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import { configSchema } from '../../../src/shared/config.ts'
import type { MediaReference } from '../../../src/shared/event.ts'
import { rows, startRecorder, type RecorderUnderTest } from '../../support/recorder/harness.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { transcriptLines } from '../../support/store/transcript-lines.ts'
import { pngOf } from '../../support/transcripts/png.ts'

const PNG = pngOf(40, 30)
const OTHER = pngOf(50, 20)
const AGENTS = pngOf(60, 10)
const SVG = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script>${' '.repeat(200)}</svg>`)
const VAST = pngOf(8, 8, { width: 30_000, height: 30_000 })
const CODEX = '0193a1c4-7c1e-7a10-9d54-00000000000c'

const image = (bytes: Buffer, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data: bytes.toString('base64') },
})
const shows = (text: string, ...images: object[]) => ({
  type: 'user',
  message: { role: 'user', content: [...images, { type: 'text', text }] },
})

let folder: TempFolder
let under: RecorderUnderTest
let importer: Importer
let projects: string
const file = (name: string) => join(projects, name)
beforeAll(async () => {
  folder = makeTempFolder()
  projects = join(folder.path, 'claude', 'projects')
  mkdirSync(join(projects, 'one', 'subagents'), { recursive: true })
  const codexDay = join(folder.path, 'codex', 'sessions', '2026', '11', '20')
  mkdirSync(codexDay, { recursive: true })
  under = await startRecorder(join(folder.path, 'data'))
  importer = new Importer({
    dataDir: under.dataDir,
    config: configSchema.parse({}),
    homes: { 'claude-code': [join(folder.path, 'claude')], codex: [join(folder.path, 'codex')] },
    recorder: under.recorder,
    logger: { warn: () => undefined, error: () => undefined },
  })
  const call = { type: 'tool_use', id: 'toolu_read', name: 'Read', input: { file_path: '/shot.png' } }
  writeFileSync(
    file('one.jsonl'),
    transcriptLines('one', [
      shows('what is this?', image(PNG)),
      { type: 'assistant', message: { id: 'm1', role: 'assistant', content: [call] } },
      {
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_read', content: [image(OTHER)] }],
        },
        toolUseResult: { type: 'image', file: { base64: OTHER.toString('base64'), type: 'image/png' } },
      },
      shows('a vector', image(SVG, 'image/svg+xml')),
      shows('a vector as a PNG', image(Buffer.concat([SVG, Buffer.from(' ')]))),
      shows('a PNG as a JPEG', image(pngOf(41, 31), 'image/jpeg')),
      shows('a bomb', image(VAST)),
    ]).join(''),
  )
  writeFileSync(
    file('one/subagents/agent-a1.jsonl'),
    transcriptLines('one', [
      { ...shows('look'), isSidechain: true, agentId: 'a1' },
      {
        type: 'assistant',
        isSidechain: true,
        agentId: 'a1',
        message: { id: 'm2', role: 'assistant', content: [{ ...call, id: 'toolu_own' }] },
      },
      {
        type: 'user',
        isSidechain: true,
        agentId: 'a1',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_own', content: [image(AGENTS)] }],
        },
      },
    ]).join(''),
  )
  writeFileSync(file('two.jsonl'), transcriptLines('two', [shows('of another session', image(pngOf(33, 33)))]).join(''))
  const item = {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: 'see' },
      { type: 'input_image', image_url: `data:image/png;base64,${PNG.toString('base64')}` },
    ],
  }
  const at = '2026-11-20T10:00:00.000Z'
  const rollout = [
    {
      timestamp: at,
      type: 'session_meta',
      payload: { id: CODEX, timestamp: at, cwd: '/p', originator: 'codex_cli_rs', cli_version: '0.63.0' },
    },
    { timestamp: at, type: 'response_item', payload: item },
    { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'see', images: [] } },
  ]
  const lines = rollout.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(join(codexDay, `rollout-2026-11-20T10-00-00-${CODEX}.jsonl.zst`), zstdCompressSync(lines))
  for await (const progress of importer.import(null)) expect(progress.lines_bad).toBe(0)
})
afterAll(async () => {
  await importer.stop()
  await under.stop()
  folder.remove()
})

interface Recorded {
  readonly uuid: string
  readonly media: readonly MediaReference[]
}

/** The events that have images, by the text of their prompt or the id of their call. */
function recorded(name: string): Recorded {
  const found = rows(under.dataDir)
    .map((row) => ({
      uuid: row.uuid,
      payload: JSON.parse(row.payload) as { text?: string; call_id?: string; media?: MediaReference[] },
    }))
    .find(({ payload }) => payload.media !== undefined && (payload.text === name || payload.call_id === name))
  if (found === undefined) throw new Error(`nothing with an image is recorded as ${name}`)
  return { uuid: found.uuid, media: found.payload.media ?? [] }
}

const settingsWith = (show_images: boolean): ImageParts['settings'] => ({
  config: () => configSchema.parse({ app: { show_images } }),
})
/** Reads an event straight from the log. */
const read = (async (_name: string, { uuid }: { uuid: string }) => {
  const row = rows(under.dataDir).find((one) => one.uuid === uuid)
  if (row === undefined) throw new Error('no such event')
  return { ...row, payload: JSON.parse(row.payload) as object }
}) as unknown as ImageParts['read']

const ask = ({ uuid, media }: Recorded, hash = media[0]?.hash ?? '', isOn = true) =>
  imageOf({ read, importer, settings: settingsWith(isOn) }, { uuid, hash })
const png = (bytes: Buffer, width: number, height: number) => ({
  image: { media_type: 'image/png', width, height, data: bytes.toString('base64') },
  refused: null,
})

test("an image is found in a prompt, a tool's result, an agent's own file, and a compressed rollout", async () => {
  expect(await ask(recorded('what is this?'))).toEqual(png(PNG, 40, 30))
  expect(await ask(recorded('toolu_read'))).toEqual(png(OTHER, 50, 20))
  expect(await ask(recorded('toolu_own'))).toEqual(png(AGENTS, 60, 10))
  expect(await ask(recorded('see'))).toEqual(png(PNG, 40, 30))
})

test('with the setting off, nothing is looked up', async () => {
  await expect(ask(recorded('what is this?'), undefined, false)).rejects.toMatchObject({ code: 'forbidden' })
})

test('only the hashes of the event itself are looked up', async () => {
  const other = recorded('of another session').media[0]?.hash ?? ''
  await expect(ask(recorded('what is this?'), other)).rejects.toMatchObject({ code: 'not_found' })
  await expect(ask(recorded('what is this?'), recorded('toolu_read').media[0]?.hash)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('no name leads to the file of another session, or out of the folders', async () => {
  const { hash = '', bytes = 0 } = recorded('of another session').media[0] ?? {}
  const look = (session_id: string, agent_id: string | null = null) =>
    importer.image({ session_id, agent_id, hash, bytes, media_type: 'image/png' })
  expect(await look('two')).toMatchObject({ refused: null })
  writeFileSync(
    join(folder.path, 'outside.jsonl'),
    transcriptLines('two', [shows('out', image(pngOf(33, 33)))]).join(''),
  )
  for (const name of ['one', '..', '../two', '', 'projects', '../../outside', join(folder.path, 'outside'), 'claude']) {
    expect(await look(name), name).toEqual({ refused: 'gone' })
    expect(await look('one', name), name).toEqual({ refused: 'gone' })
  }
})

test.each([
  ['a vector', 'not_an_image'],
  ['a vector as a PNG', 'not_an_image'],
  ['a PNG as a JPEG', 'other_type'],
  ['a bomb', 'too_large'],
])('%s is refused: %s', async (name, refused) => {
  expect(await ask(recorded(name))).toEqual({ image: null, refused })
})

test('an image is found behind a link, as its transcript is, and gone with that', async () => {
  const prompt = recorded('of another session')
  expect(await ask(prompt)).toMatchObject({ refused: null })
  const moved = join(folder.path, 'two.jsonl')
  renameSync(file('two.jsonl'), moved)
  symlinkSync(moved, file('two.jsonl'))
  expect(await ask(prompt)).toMatchObject({ refused: null })
  rmSync(moved)
  expect(await ask(prompt)).toEqual({ image: null, refused: 'gone' })
  rmSync(file('two.jsonl'))
  expect(await ask(prompt)).toEqual({ image: null, refused: 'gone' })
})
